/** Replaces characters that XML cannot hold. Source: Extensible Markup Language 1.0, section 2.2 (Char). */
export const xmlText = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "\u{FFFD}")
