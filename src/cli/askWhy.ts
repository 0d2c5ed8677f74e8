import { whyPath } from "../api/why.ts"
import { stepText } from "../inspect/why/step.ts"
import { askServer, isNobodyThere, servedAs } from "./askServer.ts"
import { kindOfWord } from "./kindWords.ts"
import { refuse } from "./exitCode.ts"
import { complain, printData, printLines } from "./terminal.ts"
import type { Step } from "../inspect/why/step.ts"
import type { ServedPlace } from "./askServer.ts"
import type { ExitCode } from "./exitCode.ts"

export interface WhyWish extends ServedPlace {
  readonly object: string
  readonly namespace: string
  readonly last: number
  readonly output: "text" | "json"
}

export const askWhy = async (options: WhyWish): Promise<ExitCode> => {
  const { object, namespace, last, output } = options
  const [, kindWord = "", objectName = ""] = /^([^/]+)\/(.+)$/.exec(object) ?? []
  const kind = kindOfWord(kindWord.replace(/\..*$/, ""))
  if (kind === undefined) {
    return refuse(
      `error: ${JSON.stringify(object)} is no KIND/NAME such as deployment/web or pod/web-5d4-x7k2p`
    )
  }
  if (last < 1) return refuse(`error: --last ${last}: there is no fewer than one step to show`)
  try {
    const query = new URLSearchParams({ kind, namespace, name: objectName }).toString()
    const { code, text } = await askServer(servedAs(options), { method: "GET", path: `${whyPath}?${query}` })
    if (code !== 200) return refuse(`error: ${messageIn(text)}`)
    const lines = text.split("\n").filter((line) => line !== "")
    const shown = lines.slice(-last)
    if (shown.length === 0) complain("it has made no step since its steps are kept")
    if (output === "json") printData(shown.map((line) => `${line}\n`).join(""))
    else printLines(shown.map((line) => stepText(JSON.parse(line) as Step)).flatMap(inParagraphs))
    return 0
  } catch (error) {
    if (isNobodyThere(error)) return refuse(`error: ${error.message}`)
    throw error
  }
}

const inParagraphs = (text: string, index: number): ReadonlyArray<string> => [
  ...(index === 0 ? [] : [""]),
  ...text.split("\n")
]

const messageIn = (text: string): string => {
  try {
    return (JSON.parse(text) as { readonly message?: string }).message ?? text
  } catch {
    return text
  }
}
