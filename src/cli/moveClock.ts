import { request } from "node:https"
import { clockPath } from "../api/clock.ts"
import { contextName } from "../api/contextName.ts"
import { documentOf, KubeconfigProblem, kubeconfigPath, readKubeconfig } from "./kubeconfigFile.ts"
import { lentIn, type Lent } from "./lentEntries.ts"
import { wordsOf } from "../wordsOf.ts"
import { refuse } from "./refuse.ts"
import type { ExitCode } from "./run.ts"

/** What is wished of the clock of a served cluster. */
export interface ClockWish {
  /** Below the clock's path; nothing to be only told how time goes. */
  readonly wish: string
  /** Of the cluster; the one of the current context where it is left out. */
  readonly name: string | undefined
  readonly kubeconfig: string | undefined
  readonly output: "text" | "json"
}

interface Told {
  readonly now: string
  readonly speed: number
  readonly next?: string
  readonly settled?: boolean
  readonly stepped?: boolean
  /** What a refusal says. */
  readonly message?: string
}

/** Moves the clock of a cluster that is being served, and tells how time goes then. */
export const moveClock = async ({ wish, name, kubeconfig, output }: ClockWish): Promise<ExitCode> => {
  try {
    const server = servedAs(name, kubeconfig ?? kubeconfigPath(process.env))
    const told = await ask(server, wish)
    if (told.message !== undefined) return refuse(`error: ${told.message}`)
    process.stdout.write(output === "json" ? `${JSON.stringify(told)}\n` : wordsFor(told))
    return told.settled === false ? 1 : 0
  } catch (error) {
    if (error instanceof KubeconfigProblem || error instanceof Unanswered)
      return refuse(`error: ${error.message}`)
    throw error
  }
}

class Unanswered extends Error {}

const servedAs = (name: string | undefined, path: string): Lent => {
  const document = documentOf(path, readKubeconfig(path)?.text ?? "")
  const current = document.get("current-context")
  const wanted = name === undefined ? current : contextName(name)
  const lent = lentIn(document, typeof wanted === "string" ? wanted : "").find(
    ({ entry, url }) => entry === wanted && url !== ""
  )
  if (lent !== undefined) return lent
  throw new Unanswered(
    name === undefined
      ? `the current context of ${path} is no cluster of ours: say which with --name`
      : `no cluster called ${JSON.stringify(name)} is being served, by what ${path} says`
  )
}

const ask = ({ url, ca, token }: Lent, wish: string): Promise<Told> =>
  new Promise((resolve, reject) => {
    const asking = request(
      `${url}${clockPath}${wish === "" ? "" : `/${wish}`}`,
      { method: wish === "" ? "GET" : "POST", ca, headers: { authorization: `Bearer ${token}` } },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        // Our own server answers with an object, whatever it says.
        response.on("end", () => resolve(JSON.parse(String(Buffer.concat(chunks))) as Told))
        response.on("error", reject)
      }
    )
    asking.on("error", (error) => reject(new Unanswered(`${url} does not answer: ${wordsOf(error)}`)))
    asking.end()
  })

const wordsFor = ({ now, speed, next, settled, stepped }: Told): string => {
  const rows = [
    ["now", now],
    ["speed", speed === 0 ? "0 (stands still until it is moved)" : `${speed}x`],
    ["next", next === undefined ? "nothing happens by itself" : `${next} (${inWords(now, next)})`]
  ]
  const lines = rows.map(([title = "", text = ""]) => `${title.padEnd(titleLength)}${text}\n`)
  if (settled === false) lines.push("not settled: things still move by themselves\n")
  if (stepped === false) lines.push("no step was made: nothing is due\n")
  return lines.join("")
}

const titleLength = 7

const inWords = (now: string, next: string): string => {
  const seconds = (Date.parse(next) - Date.parse(now)) / 1000
  return seconds <= 0 ? "due" : `in ${seconds}s`
}
