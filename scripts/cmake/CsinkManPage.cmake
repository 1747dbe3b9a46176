# Has TOOL print its man page to PAGE.
execute_process(COMMAND "${TOOL}" --man OUTPUT_FILE "${PAGE}" ERROR_VARIABLE said RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${TOOL} --man ends with ${status}: ${said}")
endif()
