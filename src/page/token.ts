const storageKey = "charthouse.token"

/** The address bar would show the token; session storage keeps it for the tab. */
export const takeToken = (): string | undefined => {
  const [, tokenText, rest = ""] = /^#token=([^&]+)(?:&(.*))?$/.exec(location.hash) ?? []
  if (tokenText !== undefined) {
    sessionStorage.setItem(storageKey, decodeToken(tokenText))
    history.replaceState(undefined, "", `${location.pathname}${rest === "" ? "" : `#${rest}`}`)
  }
  return storedToken()
}

export const storedToken = (): string | undefined => sessionStorage.getItem(storageKey) ?? undefined

const decodeToken = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
