/* Functions of the library that tools link without while they are being written. */
#pragma weak wcp_reader_open
#pragma weak wcp_reader_close
#pragma weak wcp_reader_link
#pragma weak wcp_reader_position
#pragma weak wcp_reader_provenance
#pragma weak wcp_writer_open
#pragma weak wcp_filter_compile
#pragma weak wcp_filter_free
#pragma weak wcp_filter_columns
#pragma weak wcp_filter_block
