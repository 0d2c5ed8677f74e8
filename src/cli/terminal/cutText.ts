/** Cuts between words, if there is more than one. */
export const cutAtWord = (text: string, width: number): string => {
  if (text.length <= width) return text
  if (width < 2) return ""
  const [words] = new RegExp(`^.{1,${width - 1}}(?=[ ,;])`, "u").exec(text) ?? []
  return `${(words ?? text.slice(0, width - 1)).replace(/[ ,;]+$/u, "")}…`
}

/** Cuts the front of a quoted image name first, so that its tag stays if there is room. */
export const cutMessage = (text: string, width: number): string => {
  if (text.length <= width) return text
  const image = /"[^"]*(\/[^"/]+)"/u.exec(text)
  if (image === null) return cutAtWord(text, width)
  const after = text.slice(image.index + image[0].length)
  return cutAtWord(`…${image[1] ?? ""}${after}`, width)
}
