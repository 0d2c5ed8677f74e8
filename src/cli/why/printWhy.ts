import { findActorKind } from "../../../machines/actorKinds.ts"
import { whyPath } from "../../server/charthouse/stepEndpoint.ts"
import { stepText } from "../../explain/steps/step.ts"
import {
  requestServer,
  isServerUnreachable,
  findServedContext,
  statusMessageOf
} from "../served/requestServer.ts"
import { refuseCommand } from "../terminal/exitCode.ts"
import { printToStderr, printData, printLines } from "../terminal/terminal.ts"
import type { Step } from "../../explain/steps/step.ts"
import type { ServedClusterRef } from "../served/requestServer.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

export interface WhyOptions extends ServedClusterRef {
  /** `deployment/web` */
  readonly object: string
  readonly namespace: string
  readonly last: number
  readonly output: "text" | "json"
}

export const printWhy = async (options: WhyOptions): Promise<ExitCode> => {
  const { object, namespace, last, output } = options
  const [, kindWord = "", objectName = ""] = /^([^/]+)\/(.+)$/.exec(object) ?? []
  // As kubectl, accepts a kind with its group: `deployment.apps/web`.
  const kind = findActorKind(kindWord.replace(/\..*$/, ""))?.kind
  if (kind === undefined) {
    return refuseCommand(
      `error: ${JSON.stringify(object)} is no KIND/NAME such as deployment/web or pod/web-5d4-x7k2p`
    )
  }
  if (last < 1) return refuseCommand(`error: --last ${last}: at least 1 is needed`)
  try {
    const query = new URLSearchParams({ kind, namespace, name: objectName }).toString()
    const { code, text } = await requestServer(findServedContext(options), {
      method: "GET",
      path: `${whyPath}?${query}`
    })
    if (code !== 200) return refuseCommand(`error: ${statusMessageOf(text)}`)
    const lines = text.split("\n").filter((line) => line !== "")
    const lastLines = lines.slice(-last)
    if (lastLines.length === 0) printToStderr("the object has made no step since recording of steps began")
    if (output === "json") printData(lastLines.map((line) => `${line}\n`).join(""))
    else printLines(lastLines.map((line) => stepText(JSON.parse(line) as Step)).flatMap(linesAfterBlank))
    return 0
  } catch (error) {
    if (isServerUnreachable(error)) return refuseCommand(`error: ${error.message}`)
    throw error
  }
}

const linesAfterBlank = (text: string, index: number): ReadonlyArray<string> => [
  ...(index === 0 ? [] : [""]),
  ...text.split("\n")
]
