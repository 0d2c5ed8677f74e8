import { isMap, isSeq, stringify } from "yaml"
import { kubeconfigContextName } from "../../server/access/kubeconfigContextName.ts"
import {
  parseKubeconfig,
  KubeconfigError,
  kubeconfigPath,
  kubeconfigLists,
  readKubeconfig
} from "../kubeconfig/kubeconfigFile.ts"
import { refuseCommand } from "../terminal/exitCode.ts"
import { printData } from "../terminal/terminal.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

export const printKubeconfig = (options: {
  readonly name: string
  readonly kubeconfig: string | undefined
}): ExitCode => {
  const path = options.kubeconfig ?? kubeconfigPath(process.env)
  const context = kubeconfigContextName(options.name)
  try {
    const entries = entriesOf(path, context)
    if (entries === undefined) {
      const name = JSON.stringify(options.name)
      return refuseCommand(
        `error: no cluster called ${name} is being served, by what ${path} says (with --no-tls none is in a kubeconfig)`
      )
    }
    const config = { apiVersion: "v1", kind: "Config", ...entries, "current-context": context }
    printData(stringify(config, { lineWidth: 0 }))
    return 0
  } catch (error) {
    if (error instanceof KubeconfigError) return refuseCommand(`error: ${error.message}`)
    throw error
  }
}

const entriesOf = (path: string, name: string): object | undefined => {
  const document = parseKubeconfig(path, readKubeconfig(path)?.text ?? "")
  const entries = kubeconfigLists.flatMap((list) => {
    const items = document.get(list)
    const item = isSeq(items) ? items.items.filter(isMap).find((it) => it.get("name") === name) : undefined
    // The extension remembers the previous context and the permissions of this file, not of a copy.
    if (list === "contexts") item?.deleteIn(["context", "extensions"])
    return item === undefined ? [] : [[list, [item.toJSON() as unknown]] as const]
  })
  return entries.length < kubeconfigLists.length ? undefined : Object.fromEntries(entries)
}
