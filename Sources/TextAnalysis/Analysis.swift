// Text questions, answered by ICU alone.
