// The meaning of the language.
