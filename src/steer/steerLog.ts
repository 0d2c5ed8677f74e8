import type { Command } from "../kubernetes/apps/commands.ts"
import type { Fields } from "../kubernetes/meta/fields.ts"
import type { KubeObject } from "../kubernetes/meta/objects.ts"

export type LogLevel = "debug" | "info" | "warn" | "error"

/** The message is constant; everything that varies is in the fields. */
export type SteerLog = (level: LogLevel, message: string, fields?: Fields) => void

export const deploymentFields = ({ metadata }: KubeObject): Fields => ({
  namespace: metadata.namespace ?? "",
  deployment: metadata.name
})

/** Undefined for a command that is not logged. */
export const commandFields = (command: Command): Fields | undefined => {
  switch (command.type) {
    case "recordSteering": {
      const { record, undoTo, removes = [] } = command
      return {
        command: undoTo === undefined ? "record" : "undo",
        ...(undoTo === undefined ? {} : { replicaSet: undoTo.metadata.name }),
        ...(record === undefined ? {} : { revision: record.revision }),
        ...(record?.step === undefined ? {} : { step: record.step }),
        ...(record?.reserved === undefined ? {} : { reserved: record.reserved }),
        ...(record?.aborted === undefined ? {} : { aborted: record.aborted.reason }),
        ...(removes.length === 0 ? {} : { removes })
      }
    }
    case "approve":
    case "revoke":
      return { command: command.type, pods: command.pods.map(({ metadata }) => metadata.name) }
    case "markComplete":
      return { command: "markComplete", replicaSet: command.replicaSet.metadata.name }
    case "reportSteering":
      return {
        command: "report",
        reason: command.condition?.reason ?? "",
        message: command.condition?.message ?? ""
      }
    case "recordEvent":
      return { command: "event", reason: command.reason, message: command.message }
    default:
      return undefined
  }
}
