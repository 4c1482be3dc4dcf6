#pragma once

// Tokens and keys that were not made by this code but with PyJWT 2.6 and python-cryptography 38;
// the private keys were thrown away. Claims of all of them:
//   {"sub":"ann","exp":1790003600,"iat":1790000000,"jti":"t-1","aud":["chat","mail"],
//    "iss":"https://issuer.example"}
namespace minichat::auth::testdata {

inline constexpr char kSecret[] = "a secret of thirty-two bytes ....";

inline constexpr char kPublicPem[] =
    "-----BEGIN PUBLIC KEY-----\n"
    "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAkBHgOZDYBmOQl5a65tTO\n"
    "HuK1khpmjuB6EHSofeJgv/KfUup4xE3eoPcjoMPJqklLo3K7rIsdOuB5qaZKSywz\n"
    "oz3AN5EB5f/BPT0lmD3mHW+u9tsSdIg4f4OIbL5WTcp6CMxf232dNC+QTUHcWouB\n"
    "YqOTGu3luI7pjeiTJFqE2NcQxpW1mirZJjP/flu3atOmsXPxLAOtk446C1oua414\n"
    "K13ecv27ViOVVpIN1BM4yQh3LtqJfF5TsfrDjuDDpkiXBRaJvEDznz6cFujVJd/J\n"
    "kmTe/q68DBGHNwZGDRAldx+8bLStIucjVuH9QFVJ+jX8M9iCSxdFkoVTFewRFc+d\n"
    "hQIDAQAB\n"
    "-----END PUBLIC KEY-----\n";

inline constexpr char kHs256Token[] =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhbm4iLCJleHAiOjE3OTAwMDM2MDAsImlhdCI"
    "6MTc5MDAwMDAwMCwianRpIjoidC0xIiwiYXVkIjpbImNoYXQiLCJtYWlsIl0sImlzcyI6Imh0dHBzOi8vaXN"
    "zdWVyLmV4YW1wbGUifQ.7ppyi09RRcPF1Wizb4biMrOjerHBITWnI95FBZQrrQk";

inline constexpr char kRs256Token[] =
    "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhbm4iLCJleHAiOjE3OTAwMDM2MDAsImlhdCI"
    "6MTc5MDAwMDAwMCwianRpIjoidC0xIiwiYXVkIjpbImNoYXQiLCJtYWlsIl0sImlzcyI6Imh0dHBzOi8vaXN"
    "zdWVyLmV4YW1wbGUifQ.HW5pya7zpAUNZJuvAP2TdRS3VQfKWYmqf64l6Bp4Q475RBrLZ3oyXoO51ZjYsCuR"
    "n5ORuMWB7fPC5bqTcylXVtfr3qislW9aJNNtoI8UfhT7V4xkLp0MEmR4AjuIkAJOALev9ZnexapFyv-Bsvrj"
    "9z68cEr7XaQ7BB6XSSh8YYrjCmQP1ym9mQ3pdEm9x21DxKM0FkPOb-6jL2jQ2hFVUFL5PUw0KHGt6BYgfMfG"
    "dWdbT1xKA-dYnOl3RGodibBM_E2rqA_0b7MQyOd5DXCaJk0Uy2Q9gAe7J-ZlqKr_6Hav4zJwkc00spEiSboT"
    "EebJ87E3vgaPVojqBkJRukvCZw";

inline constexpr char kConfusedToken[] =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiAiYW5uIiwgImV4cCI6IDE3OTAwMDM2MDAsICJ"
    "pYXQiOiAxNzkwMDAwMDAwLCAianRpIjogInQtMSIsICJhdWQiOiBbImNoYXQiLCAibWFpbCJdLCAiaXNzIjo"
    "gImh0dHBzOi8vaXNzdWVyLmV4YW1wbGUifQ.5Wx7VDFZSbQo9jpcWLNKEbQxU2QPFON58pVAAxeSXv0";

inline constexpr char kNoneToken[] =
    "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJzdWIiOiJhbm4iLCJleHAiOjE3OTAwMDM2MDAsImlhdCI6"
    "MTc5MDAwMDAwMCwianRpIjoidC0xIiwiYXVkIjpbImNoYXQiLCJtYWlsIl0sImlzcyI6Imh0dHBzOi8vaXNz"
    "dWVyLmV4YW1wbGUifQ.";

inline constexpr char kEcPem[] =
    "-----BEGIN PUBLIC KEY-----\n"
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE7DXnybq/eIzBooQ80Ap+kInCFw1w\n"
    "JLdQ84k4i9WT4ngTBZAJxcOp+2e/Xecslmqw/XFez87DNim68F6xrwslGQ==\n"
    "-----END PUBLIC KEY-----\n";

inline constexpr char kSmallPem[] =
    "-----BEGIN PUBLIC KEY-----\n"
    "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC0xd7ArurqiO4HvakTkcgoeSTs\n"
    "hNnlJQvgDqClZAxo6LkMsKFvaVyQVn2QkpROgeUzymQircuRHbbUKiU2+a9mTP9A\n"
    "1NhNx43ModU83Mv1+WNB01k3o0I3qJkB1lRpVSTbdmMF13TkVKQ3uq8rVmtZnKdq\n"
    "JLZ9dJngZZ8MAjp/MQIDAQAB\n"
    "-----END PUBLIC KEY-----\n";

}  // namespace minichat::auth::testdata
