import { request } from "node:https"
import type { Lent } from "./lentEntries.ts"

/** One that is stopped (Ctrl-Z) does not answer, and is not gone. */
const patienceMillis = 2000

/** Whether a server is still where a kubeconfig says: nobody else has the key to its certificate. */
export const isServing = ({ url, ca, token }: Lent): Promise<boolean> =>
  new Promise((tell) => {
    if (!URL.canParse(url) || new URL(url).protocol !== "https:" || ca === "") return tell(false)
    const asked = request(`${url}/version`, {
      ca,
      agent: false,
      rejectUnauthorized: true,
      headers: { authorization: `Bearer ${token}` }
    })
    const settle = (isThere: boolean): void => {
      clearTimeout(impatience)
      tell(isThere)
      asked.destroy()
    }
    const impatience = setTimeout(() => settle(true), patienceMillis)
    asked.once("response", () => settle(true))
    asked.on("error", () => settle(false))
    asked.end()
  })
