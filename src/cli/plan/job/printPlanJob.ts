import { dirname, isAbsolute, join, normalize } from "node:path"
import * as Effect from "effect/Effect"
import { badInput } from "../../input/badInput.ts"
import { groupIntoConfigMaps, isTooLarge, toMountableTexts } from "./mountedFiles.ts"
import { builtInBehaviours } from "../../../behaviours/builtInBehaviours.ts"
import { manifestSources } from "../../input/manifestSources.ts"
import { planArguments } from "./planArguments.ts"
import { planJobManifests } from "./planJob.ts"
import { printData } from "../../terminal/terminal.ts"
import { readTextFiles } from "../../input/textFiles.ts"
import { settingsFileName } from "../../../plan/settings/settingsFileName.ts"
import type { BadInput } from "../../input/badInput.ts"
import type { ExitCode } from "../../terminal/exitCode.ts"
import type { MountedFile } from "./mountedFiles.ts"
import type { PlanCommandOptions } from "../planCommandOptions.ts"
import type { TextFile } from "../../input/textFiles.ts"
import type { SettingsFile } from "../../../plan/settings/readSettings.ts"

export interface PlannedJob {
  readonly settings: SettingsFile | undefined
  readonly seeds: ReadonlyArray<number>
  /** Identifies the plan: another plan is another Job. */
  readonly fingerprint: string
}

/** `flags`: as given, for the command that merges the runs. `options`: merged with the settings. */
export const printPlanJob = Effect.fnUntraced(function* (
  flags: PlanCommandOptions,
  options: PlanCommandOptions,
  { settings, seeds, fingerprint }: PlannedJob
): Effect.fn.Return<ExitCode, BadInput> {
  const { jobImage = "", shard } = options
  const { next, from, others } = yield* mountedFiles(options, settings)
  const files = [...next, ...from, ...others]
  const name = `charthouse-plan-${fingerprint.slice(0, fingerprintLengthShown)}`
  const { nodes, behaviour } = options
  const flagsInPod = planArguments({
    ...options,
    seeds,
    files: next.map(({ path }) => path),
    from: from.map(({ path }) => path),
    recursive: false,
    kustomizations: [],
    helmCharts: [],
    helmValues: [],
    settings: settings === undefined ? undefined : settingsPath,
    nodes: typeof nodes === "object" ? { file: nodesPath } : nodes,
    behaviour: isFile(behaviour) ? behaviourPath : behaviour
  })
  const manifests = planJobManifests({
    name,
    image: jobImage,
    completions: shard?.count ?? 1,
    flags: flagsInPod,
    configMaps: groupIntoConfigMaps(files)
  })
  const instructions = [
    "Save this as job.yaml, and then:",
    "  kubectl apply -f job.yaml",
    `  kubectl wait --for=condition=complete --timeout=1h job/${name}`,
    `  kubectl logs --selector batch.kubernetes.io/job-name=${name} --tail=-1 > plan.runs`,
    `  charthouse plan merge plan.runs ${planArguments(flags).map(quoteForShell).join(" ")}`
  ]
  printData(`${instructions.map((line) => `# ${line}\n`).join("")}${manifests}`)
  return 0
})

const fingerprintLengthShown = 10
const nodesPath = "nodes.yaml"
const behaviourPath = "behaviour.yaml"
const settingsPath = `settings/${settingsFileName}`

const isFile = (behaviour: string | undefined): behaviour is string =>
  behaviour !== undefined && !builtInBehaviours.some(({ name }) => name === behaviour)

/** Quotes a text if a POSIX shell needs that to read one word. */
const quoteForShell = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`

interface MountedFiles {
  readonly next: ReadonlyArray<MountedFile>
  readonly from: ReadonlyArray<MountedFile>
  /** Nodes, a behaviour and settings. */
  readonly others: ReadonlyArray<MountedFile>
}

const mountedFiles = Effect.fnUntraced(function* (
  options: PlanCommandOptions,
  settings: SettingsFile | undefined
): Effect.fn.Return<MountedFiles, BadInput> {
  const { from, recursive, nodes, behaviour } = options
  const next = yield* readTextFiles(yield* manifestSources(options))
  const before = yield* readTextFiles(yield* manifestSources({ files: from, recursive }))
  const others = [
    ...(typeof nodes === "object" ? [{ path: nodesPath, source: nodes.file }] : []),
    ...(isFile(behaviour) ? [{ path: behaviourPath, source: behaviour }] : []),
    ...(settings === undefined ? [] : [{ path: settingsPath, source: settings.file }]),
    ...(yield* nodesFilesOf(settings))
  ]
  const texts = yield* readTextFiles(others.map(({ source }) => source))
  const tooLarge =
    [...next, ...before].find(({ text }) => toMountableTexts([text]).some(isTooLarge)) ??
    texts.find(({ text }) => isTooLarge(text))
  if (tooLarge !== undefined)
    return yield* badInput(`an object in ${tooLarge.name} has more than 1 MiB, and no ConfigMap can hold it`)
  return {
    next: numberedFiles("next", next),
    from: numberedFiles("from", before),
    others: others.map(({ path }, index) => ({
      key: `other-${index + 1}.yaml`,
      path,
      text: texts[index]?.text ?? ""
    }))
  }
})

const numberedFiles = (name: string, files: ReadonlyArray<TextFile>): ReadonlyArray<MountedFile> =>
  toMountableTexts(files.map(({ text }) => text)).map((text, index) => {
    const key = `${name}-${index + 1}.yaml`
    return { key, path: key, text }
  })

/** Environments name these files relative to the settings' folder. */
const nodesFilesOf = Effect.fnUntraced(function* (
  settings: SettingsFile | undefined
): Effect.fn.Return<ReadonlyArray<{ readonly path: string; readonly source: string }>, BadInput> {
  if (settings === undefined) return []
  const { environments = [] } = settings.settings
  const names = environments.flatMap(({ nodes }) => (typeof nodes === "string" ? [normalize(nodes)] : []))
  const outside = names.find((name) => name.startsWith("..") || isAbsolute(name))
  if (outside !== undefined)
    return yield* badInput(`${outside} is not in the folder of ${settings.file}, and the Pods cannot read it`)
  return [...new Set(names)].map((name) => ({
    path: join(dirname(settingsPath), name),
    source: join(dirname(settings.file), name)
  }))
})
