# The two helpers every module uses, and the flags all of them share.

add_library(minichat_flags INTERFACE)
target_include_directories(minichat_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_definitions(minichat_flags INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED)
target_compile_options(minichat_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast)
if(MINICHAT_WERROR)
  target_compile_options(minichat_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 at -O2 sees overlapping copies inside std::string's own assignment (GCC bug 105329).
  target_compile_options(minichat_flags INTERFACE -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(minichat_flags INTERFACE -Wthread-safety)
endif()
set(MINICHAT_TEST_ENVIRONMENT "")
if(MINICHAT_SANITIZE)
  add_compile_options(-fsanitize=${MINICHAT_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${MINICHAT_SANITIZE})
  if(MINICHAT_SANITIZE MATCHES "undefined")
    # These checks multiply the build time of Beast and find nothing that ASan does not.
    add_compile_options(-fno-sanitize=vptr,null,alignment,object-size,pointer-overflow)
    # clang 14 can't emit the function check for coroutines (LLVM issue 49689).
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      add_compile_options(-fno-sanitize=function)
    endif()
    # The first finding ends the test, instead of a line in its output.
    add_compile_options(-fno-sanitize-recover=all)
    find_program(MINICHAT_SYMBOLIZER NAMES llvm-symbolizer-14 llvm-symbolizer)
    list(APPEND MINICHAT_TEST_ENVIRONMENT "UBSAN_OPTIONS=print_stacktrace=1"
      "ASAN_SYMBOLIZER_PATH=${MINICHAT_SYMBOLIZER}")
  endif()
  if(MINICHAT_SANITIZE STREQUAL "thread")
    # ThreadSanitizer doesn't know fences; Asio's stand beside mutexes, which it knows.
    add_compile_options(-Wno-tsan)
    list(APPEND MINICHAT_TEST_ENVIRONMENT "TSAN_OPTIONS=second_deadlock_stack=1")
  endif()
endif()

# tests_unit, tests_sim, …: all test programs of one label, so that a sanitizer's build needn't make the rest.
if(MINICHAT_BUILD_TESTS)
  foreach(label unit sim integration cluster web lab long)
    add_custom_target(tests_${label})
  endforeach()
endif()

# minichat_library(name SRCS a.cc … DEPS other … PRIVATE_DEPS …): target minichat_<name>, alias minichat::<name>.
function(minichat_library name)
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS;PRIVATE_DEPS" ${ARGN})
  if(ARG_SRCS)
    add_library(minichat_${name} STATIC ${ARG_SRCS})
    target_link_libraries(minichat_${name} PUBLIC ${ARG_DEPS} PRIVATE minichat_flags ${ARG_PRIVATE_DEPS})
    target_include_directories(minichat_${name} PUBLIC ${CMAKE_SOURCE_DIR})
  else()
    add_library(minichat_${name} INTERFACE)
    target_link_libraries(minichat_${name} INTERFACE ${ARG_DEPS})
    target_include_directories(minichat_${name} INTERFACE ${CMAKE_SOURCE_DIR})
  endif()
  add_library(minichat::${name} ALIAS minichat_${name})
endfunction()

# minichat_test(name SRCS a_test.cc … DEPS … LABELS unit): one GoogleTest program.
# LABELS: unit | sim | integration | cluster | web | lab | long (one of them).
function(minichat_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SRCS;DEPS;LABELS" ${ARGN})
  if(NOT MINICHAT_BUILD_TESTS)
    return()
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  find_package(GTest CONFIG REQUIRED)
  add_executable(${name} ${ARG_SRCS})
  target_link_libraries(${name} PRIVATE minichat_flags ${ARG_DEPS} GTest::gtest_main GTest::gmock)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_dependencies(tests_${ARG_LABELS} ${name})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} ENVIRONMENT "${MINICHAT_TEST_ENVIRONMENT}")
endfunction()
