// Names
export function isName(text) {
  return /^\p{L}+$/u.test(text); // Größe
}
