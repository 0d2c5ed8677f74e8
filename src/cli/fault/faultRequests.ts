import { ageText, textOrNone } from "../../server/tables/tableColumn.ts"
import { faultsPath } from "../../server/charthouse/faultEndpoint.ts"
import { affectedText, affectsExistingPods, faultText } from "../../faults/faultText.ts"
import {
  requestServer,
  isServerUnreachable,
  statusMessageOf,
  findServedContext
} from "../served/requestServer.ts"
import { parseFault, InvalidFaultField } from "./parseFault.ts"
import { refuseCommand } from "../terminal/exitCode.ts"
import { tableLines } from "../terminal/tableLines.ts"
import { printToStderr, printData, printLines } from "../terminal/terminal.ts"
import type { FaultJson, FaultListJson } from "../../server/charthouse/faultEndpoint.ts"
import type { Fault } from "../../faults/fault.ts"
import type { ServerRequest, ServedClusterRef } from "../served/requestServer.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

interface FaultOptions extends ServedClusterRef {
  readonly output: "text" | "json"
}

export const beginFault = (
  options: FaultOptions & { readonly fault: string; readonly fields: ReadonlyArray<string> }
): Promise<ExitCode> =>
  withErrorsPrinted(async () => {
    const body = parseFault(options.fault, options.fields)
    const begunFault = await requestFaults<FaultJson>(options, { method: "POST", path: faultsPath, body })
    printResult(options, begunFault, [begunText(begunFault)])
    return 0
  })

export const listFaults = (options: FaultOptions): Promise<ExitCode> =>
  withErrorsPrinted(async () => {
    const { now, items } = await requestFaults<FaultListJson>(options, { method: "GET", path: faultsPath })
    if (items.length === 0 && options.output === "text") printToStderr("No faults found")
    const rows = items.map((it) => [
      it.id,
      faultTextOf(it),
      textOrNone(affectedTextOf(it)),
      ageText(it.began, Date.parse(now)),
      textOrNone(it.ends)
    ])
    const lines = items.length === 0 ? [] : tableLines([["ID", "FAULT", "AFFECTED", "AGE", "UNTIL"], ...rows])
    printResult(options, { now, items }, lines)
    return 0
  })

export const endFaults = (
  options: FaultOptions & { readonly ids: ReadonlyArray<string>; readonly all: boolean }
): Promise<ExitCode> =>
  withErrorsPrinted(async () => {
    const { ids, all } = options
    if (all === ids.length > 0) return refuseCommand("error: say which fault has to end by its ID, or --all")
    if (all) {
      const endedFaults = await requestFaults<FaultListJson>(options, { method: "DELETE", path: faultsPath })
      if (endedFaults.items.length === 0 && options.output === "text") printToStderr("No faults found")
      printResult(options, endedFaults, endedFaults.items.map(endedText))
      return 0
    }
    for (const id of ids) {
      const path = `${faultsPath}/${encodeURIComponent(id)}`
      const endedFault = await requestFaults<FaultJson>(options, { method: "DELETE", path })
      printResult(options, endedFault, [endedText(endedFault)])
    }
    return 0
  })

const withErrorsPrinted = async (command: () => Promise<ExitCode>): Promise<ExitCode> => {
  try {
    return await command()
  } catch (error) {
    if (
      isServerUnreachable(error) ||
      error instanceof InvalidFaultField ||
      error instanceof FaultRequestRefused
    )
      return refuseCommand(`error: ${error.message}`)
    throw error
  }
}

class FaultRequestRefused extends Error {}

const requestFaults = async <A extends object>(
  cluster: ServedClusterRef,
  request: ServerRequest
): Promise<A> => {
  const { code, text } = await requestServer(findServedContext(cluster), request)
  if (code >= 400) throw new FaultRequestRefused(statusMessageOf(text))
  // The server is of the same program: its responses have this type.
  return JSON.parse(text) as A
}

const printResult = ({ output }: FaultOptions, result: object, lines: ReadonlyArray<string>): void => {
  if (output === "json") printData(`${JSON.stringify(result)}\n`)
  else printLines(lines)
}

const faultTextOf = ({ fault }: FaultJson): string => faultText(fault as Fault)

/** Undefined for faults that do not count what they affect. */
const affectedTextOf = ({ fault, met: affectedCount }: FaultJson): string | undefined =>
  affectedCount === undefined ? undefined : affectedText(fault as Fault, affectedCount)

const faultTextWithAffected = (fault: FaultJson): string => {
  const affected = affectedTextOf(fault)
  return affected === undefined ? faultTextOf(fault) : `${faultTextOf(fault)} (${affected} affected)`
}

const begunText = (fault: FaultJson): string => {
  const { id, ends, ended } = fault
  // A fault that waits for writes or new Pods has affected nothing yet.
  const text = affectsExistingPods(fault.fault as Fault) ? faultTextWithAffected(fault) : faultTextOf(fault)
  if (ended !== undefined) return `fault ${JSON.stringify(id)} done: ${text}`
  const until = ends === undefined ? `; charthouse fault end ${id} ends it` : `, until ${ends}`
  return `fault ${JSON.stringify(id)} begun: ${text}${until}`
}

const endedText = (fault: FaultJson): string =>
  `fault ${JSON.stringify(fault.id)} ended: ${faultTextWithAffected(fault)}`
