const storageKey = "charthouse.token"

/**
 * Removes the token from the address bar, where it could be seen; session storage keeps it for the tab. What follows it
 * after `&` names an object and a moment, and stays.
 */
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
