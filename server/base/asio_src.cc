// The compiled halves of Asio and Beast: once, instead of in every translation unit.
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>
