const key = "charthouse.token"

/**
 * The token out of the address that `charthouse up` prints. It is taken out of the address bar, so that it is neither
 * seen nor copied with it, and kept as long as the tab.
 */
export const takeToken = (): string | undefined => {
  const [, stated] = /^#token=(.+)$/.exec(location.hash) ?? []
  if (stated !== undefined) {
    sessionStorage.setItem(key, decoded(stated))
    history.replaceState(undefined, "", location.pathname)
  }
  return sessionStorage.getItem(key) ?? undefined
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
