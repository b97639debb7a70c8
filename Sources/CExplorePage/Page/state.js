// The query, and what the page knows of the records and of the last result.
export const query = { text: "", variables: {}, type: "", sort: [], spread: "", view: "table", asleep: [], columns: null, counts: null };
export const page = { about: null, fields: [], shown: [], counted: [], version: 0, turn: 0, slow: 0, tokens: [], diagnosis: null, place: null, circle: null };
