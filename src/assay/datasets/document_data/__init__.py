"""Document data: vectors and popularity of documents that are not in the documents themselves."""
