import { request } from "node:https"
import type { ServedContext } from "./servedContexts.ts"

/** A server that does not answer in time counts as running: it may be stopped by Ctrl-Z. */
const answerTimeoutMillis = 2000

/** The certificate authority proves that the server is the one that the context was written for. */
export const isServing = ({ url, ca, token }: ServedContext): Promise<boolean> =>
  new Promise((resolve) => {
    if (!URL.canParse(url) || new URL(url).protocol !== "https:" || ca === "") return resolve(false)
    const pending = request(`${url}/version`, {
      ca,
      agent: false,
      rejectUnauthorized: true,
      headers: { authorization: `Bearer ${token}` }
    })
    const finish = (isRunning: boolean): void => {
      clearTimeout(timeout)
      resolve(isRunning)
      pending.destroy()
    }
    const timeout = setTimeout(() => finish(true), answerTimeoutMillis)
    pending.once("response", () => finish(true))
    pending.on("error", () => finish(false))
    pending.end()
  })
