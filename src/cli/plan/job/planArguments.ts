import { startFactorDefault } from "../../../plan/whatIf/startFactors.ts"
import type { PlanCommandOptions } from "../planCommandOptions.ts"

export type PlayedOptions = Pick<
  PlanCommandOptions,
  | "files"
  | "recursive"
  | "kustomizations"
  | "helmCharts"
  | "helmValues"
  | "serverSide"
  | "from"
  | "seeds"
  | "behaviour"
  | "assume"
  | "namespace"
  | "nodes"
  | "featureGates"
  | "settings"
  | "startFactor"
>

export const planArguments = (options: PlayedOptions): ReadonlyArray<string> => {
  const { nodes, seeds, startFactor, recursive, serverSide } = options
  const [first, last] = [seeds?.[0], seeds?.at(-1)]
  return [
    ...options.files.flatMap((it) => ["-f", it]),
    ...options.kustomizations.flatMap((it) => ["-k", it]),
    ...options.helmCharts.flatMap((it) => ["--helm", it]),
    ...options.helmValues.flatMap((it) => ["--values", it]),
    ...(recursive ? ["--recursive"] : []),
    ...(serverSide ? ["--server-side"] : []),
    ...options.from.flatMap((it) => ["--from", it]),
    ...flag("--settings", options.settings),
    ...flag("--namespace", options.namespace),
    ...flag("--nodes", typeof nodes === "object" ? nodes.file : nodes),
    ...flag("--behaviour", options.behaviour),
    ...flag("--assume", options.assume),
    ...flag("--feature-gates", options.featureGates),
    ...(startFactor === startFactorDefault ? [] : ["--what-if", whatIfText(startFactor)]),
    ...flag("--seeds", first === undefined ? undefined : `${first}..${last}`)
  ]
}

const whatIfText = (startFactor: number | undefined): string =>
  startFactor === undefined ? "none" : `start=${startFactor}x`

const flag = (name: string, value: string | number | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : [name, String(value)]
