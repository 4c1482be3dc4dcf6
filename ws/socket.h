#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace minichat::ws {

// A TCP socket that is bound to one I/O thread's io_context; the executor's concrete type spares
// each operation a type-erased one.
using Socket =
    boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

}  // namespace minichat::ws
