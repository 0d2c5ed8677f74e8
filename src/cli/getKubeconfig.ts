import { existsSync, readFileSync } from "node:fs"
import { isMap, isSeq, parseDocument, stringify } from "yaml"
import { contextName } from "../api/kubeconfig.ts"
import { kubeconfigPath } from "./kubeconfigFile.ts"
import type { ExitCode } from "./run.ts"

/** Prints what a kubeconfig says of one served cluster, as a kubeconfig of its own. */
export const printKubeconfig = (options: {
  readonly name: string
  readonly kubeconfig: string | undefined
}): ExitCode => {
  const path = options.kubeconfig ?? kubeconfigPath(process.env)
  const context = contextName(options.name)
  const text = existsSync(path) ? readFileSync(path, "utf8") : ""
  const document = parseDocument(text)
  const entries = ["clusters", "users", "contexts"].flatMap((list) => {
    const items = document.get(list)
    const found = isSeq(items)
      ? items.items.filter(isMap).find((item) => item.get("name") === context)
      : undefined
    return found === undefined ? [] : [[list, [found.toJSON() as unknown]] as const]
  })
  if (entries.length < 3) {
    process.stderr.write(
      `error: no cluster called ${JSON.stringify(options.name)} is being served, by what ${path} says\n`
    )
    return 2
  }
  process.stdout.write(
    stringify(
      { apiVersion: "v1", kind: "Config", ...Object.fromEntries(entries), "current-context": context },
      { lineWidth: 0 }
    )
  )
  return 0
}
