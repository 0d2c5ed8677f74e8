import { ageSince, orNone } from "../api/tables/column.ts"
import { faultsPath } from "../api/faults.ts"
import { faultText, metText } from "../faults/faultText.ts"
import { askServer, isNobodyThere, messageIn, servedAs } from "./askServer.ts"
import { faultOf, NoField } from "./faultFields.ts"
import { refuse } from "./exitCode.ts"
import { tableLines } from "./tableLines.ts"
import { complain, printData, printLines } from "./terminal.ts"
import type { ToldFault, ToldFaults } from "../api/faults.ts"
import type { Fault } from "../faults/fault.ts"
import type { Question, ServedPlace } from "./askServer.ts"
import type { ExitCode } from "./exitCode.ts"

interface Asking extends ServedPlace {
  readonly output: "text" | "json"
}

/** Begins a fault in a cluster that is being served. */
export const beginFault = (
  options: Asking & { readonly fault: string; readonly fields: ReadonlyArray<string> }
): Promise<ExitCode> =>
  answered(async () => {
    const body = faultOf(options.fault, options.fields)
    const begun = await ask<ToldFault>(options, { method: "POST", path: faultsPath, body })
    print(options, begun, [begunText(begun)])
    return 0
  })

/** Prints those that last. */
export const listFaults = (options: Asking): Promise<ExitCode> =>
  answered(async () => {
    const { now, items } = await ask<ToldFaults>(options, { method: "GET", path: faultsPath })
    if (items.length === 0 && options.output === "text") complain("No faults found")
    const rows = items.map((it) => [
      it.id,
      textOf(it),
      orNone(metBy(it)),
      ageSince(it.began, Date.parse(now)),
      orNone(it.ends)
    ])
    const lines = items.length === 0 ? [] : tableLines([["ID", "FAULT", "MET", "AGE", "UNTIL"], ...rows])
    print(options, { now, items }, lines)
    return 0
  })

/** Ends those that are named, or all of them. */
export const endFaults = (
  options: Asking & { readonly ids: ReadonlyArray<string>; readonly all: boolean }
): Promise<ExitCode> =>
  answered(async () => {
    const { ids, all } = options
    if (all === ids.length > 0) return refuse("error: say which fault has to end by its ID, or --all")
    if (all) {
      const ended = await ask<ToldFaults>(options, { method: "DELETE", path: faultsPath })
      if (ended.items.length === 0 && options.output === "text") complain("No faults found")
      print(options, ended, ended.items.map(endedText))
      return 0
    }
    for (const id of ids) {
      const path = `${faultsPath}/${encodeURIComponent(id)}`
      const ended = await ask<ToldFault>(options, { method: "DELETE", path })
      print(options, ended, [endedText(ended)])
    }
    return 0
  })

/** Nobody there, no such field, no such fault: each is told in a line. */
const answered = async (asking: () => Promise<ExitCode>): Promise<ExitCode> => {
  try {
    return await asking()
  } catch (error) {
    if (isNobodyThere(error) || error instanceof NoField || error instanceof Refused)
      return refuse(`error: ${error.message}`)
    throw error
  }
}

/** What the server says no to, in its words. */
class Refused extends Error {}

const ask = async <A extends object>(place: ServedPlace, question: Question): Promise<A> => {
  const { code, text } = await askServer(servedAs(place), question)
  if (code >= 400) throw new Refused(messageIn(text))
  // Our own server answers with what was asked for.
  return JSON.parse(text) as A
}

const print = ({ output }: Asking, told: object, lines: ReadonlyArray<string>): void => {
  if (output === "json") printData(`${JSON.stringify(told)}\n`)
  else printLines(lines)
}

/** The server has read it. */
const textOf = ({ fault }: ToldFault): string => faultText(fault as Fault)

/** Whom it has met by now; undefined where that cannot be counted. */
const metBy = ({ fault, met }: ToldFault): string | undefined =>
  met === undefined ? undefined : metText(fault as Fault, met)

const withMet = (told: ToldFault): string => {
  const met = metBy(told)
  return met === undefined ? textOf(told) : `${textOf(told)} (${met} met)`
}

const begunText = (told: ToldFault): string => {
  const { id, ends, ended } = told
  // Of one that meets whoever comes nobody has come yet.
  const what = meetsAtOnce(told.fault as Fault) ? withMet(told) : textOf(told)
  if (ended !== undefined) return `fault ${JSON.stringify(id)} done: ${what}`
  const until = ends === undefined ? `; charthouse fault end ${id} ends it` : `, until ${ends}`
  return `fault ${JSON.stringify(id)} begun: ${what}${until}`
}

const meetsAtOnce = (fault: Fault): boolean => "pods" in fault && fault.fault !== "slowStart"

const endedText = (told: ToldFault): string => `fault ${JSON.stringify(told.id)} ended: ${withMet(told)}`
