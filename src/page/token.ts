const storageKey = "charthouse.token"

/** Removes the token from the address bar, where it could be seen; session storage keeps it for the tab. */
export const takeToken = (): string | undefined => {
  const [, tokenText] = /^#token=(.+)$/.exec(location.hash) ?? []
  if (tokenText !== undefined) {
    sessionStorage.setItem(storageKey, decodeToken(tokenText))
    history.replaceState(undefined, "", location.pathname)
  }
  return sessionStorage.getItem(storageKey) ?? undefined
}

const decodeToken = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
