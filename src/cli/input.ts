import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import { text as textOf } from "node:stream/consumers"
import { BadInput, badInput } from "./badInput.ts"
import { builtInBehaviours } from "../behaviours/builtIn.ts"
import { behaviourAnnotation } from "../behaviours/match.ts"
import { decodeBehaviour } from "../behaviours/decode.ts"
import { groupResourceOf, resources } from "../domain/kinds.ts"
import { leftOutTexts } from "../manifests/customManifests.ts"
import { pathOfField, placeText, problemText } from "../manifests/manifest.ts"
import { readManifests } from "../manifests/readManifests.ts"
import { wordsOf } from "../wordsOf.ts"
import type { Behaviour } from "../behaviours/behaviour.ts"
import type { BehaviourManifest, ManifestDocument, ManifestProblem } from "../manifests/manifest.ts"

/** All that a run takes from files, read and decoded. */
export interface Input {
  /** Step by step. */
  readonly files: ReadonlyArray<{
    readonly name: string
    readonly documents: ReadonlyArray<ManifestDocument>
  }>
  readonly behaviours: ReadonlyArray<Behaviour>
  /** How Pods live that none of `behaviours` matches; undefined where the cluster's default is meant. */
  readonly behaviour: Behaviour | undefined
  readonly warnings: ReadonlyArray<string>
}

/** More Pods than this take more memory than a process should. */
const podsMax = 100_000

/**
 * Reads everything before anything starts. `-` is the standard input; `behaviour` is the name of a built-in
 * one or a file of Behaviours.
 */
export const readInput = Effect.fnUntraced(function* (options: {
  /** Each is a step, and so are several together. */
  readonly files: ReadonlyArray<string | ReadonlyArray<string>>
  readonly behaviour: string | undefined
  /** Where objects are that name none; `default` where it is left out. */
  readonly namespace?: string | undefined
  /** Whether custom resources are left out, with a warning; they are refused otherwise. */
  readonly leavesCustom?: boolean
}): Effect.fn.Return<Input, BadInput> {
  const { behaviour, namespace, leavesCustom = false } = options
  const builtIn = builtInBehaviours.find(({ name }) => name === behaviour)
  const behaviourFiles = behaviour === undefined || builtIn !== undefined ? [] : [behaviour]
  const steps = options.files.map((files) => [files].flat())
  yield* refuseInputTwice([...steps.flat(), ...behaviourFiles])
  const texts = yield* readTexts(steps.flat())
  const behaviourTexts = yield* readTexts(behaviourFiles).pipe(
    Effect.mapError((error) => (behaviour === undefined ? error : unknownBehaviour(behaviour, error)))
  )

  // Step by step: one object may be in several, each a step of its life, but only once in one.
  const read = { strict: true, namespace, leavesCustom }
  const files = inSteps(texts, steps).map((step) => ({
    name: step.map(({ name }) => name).join(", "),
    ...readManifests(step, read)
  }))
  const chosen = behaviourTexts.map((file) => readManifests([file], { strict: true }))
  const all = [...files, ...chosen]
  const decoded = decodeAll(all.flatMap(({ behaviours }) => behaviours))
  const misplaced = chosen.flatMap(({ documents }) => documents.map(notBehaviour))
  const problems = [
    ...all.flatMap(({ problems }) => problems),
    ...misplaced,
    ...decoded.problems,
    ...files.flatMap(({ documents }) => tooManyPods(documents))
  ]
  if (problems.length > 0) return yield* new BadInput({ lines: problems.map(problemText) })
  yield* refuseTotal(files.flatMap(({ documents }) => documents))

  const matchless = decoded.behaviours.filter(({ match }) => match === undefined)
  const everywhere = matchless.length === 1 ? matchless[0] : undefined
  return {
    files: files.map(({ name, documents }) => ({ name, documents })),
    behaviours: decoded.behaviours,
    behaviour: builtIn ?? everywhere,
    warnings: [
      ...all.flatMap(({ warnings }) => warnings.map(problemText)),
      ...leftOutTexts(all.flatMap(({ leftOut }) => leftOut)),
      ...(matchless.length > 1 ? [onlyByName(matchless)] : [])
    ]
  }
})

/** As many of them as each step has. */
const inSteps = <A>(
  all: ReadonlyArray<A>,
  steps: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<ReadonlyArray<A>> => {
  const rest = [...all]
  return steps.map(({ length }) => rest.splice(0, length))
}

/** It can be read once. Source: staging/src/k8s.io/cli-runtime/pkg/resource/builder.go (StdinMultiUseError). */
const refuseInputTwice = (paths: ReadonlyArray<string>): Effect.Effect<void, BadInput> =>
  paths.filter((path) => path === "-").length > 1
    ? Effect.fail(new BadInput({ lines: ["error: standard input cannot be used for multiple arguments"] }))
    : Effect.void

interface TextFile {
  readonly name: string
  readonly text: string
}

/** Every file, or what is wrong with all those that cannot be read. */
export const readTexts = Effect.fnUntraced(function* (
  paths: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<TextFile>, BadInput> {
  const read: Array<TextFile> = []
  const lines: Array<string> = []
  for (const path of paths) {
    const file = yield* Effect.result(Effect.tryPromise(() => readText(path)))
    if (file._tag === "Success")
      read.push({ name: path === "-" ? "standard input" : path, text: file.success })
    else lines.push(`error: ${unreadable(path, file.failure.cause)}`)
  }
  return lines.length === 0 ? read : yield* new BadInput({ lines })
})

const readText = async (path: string): Promise<string> => {
  const text = path === "-" ? await textOf(process.stdin) : await readFile(path, "utf8")
  return text.startsWith("\uFEFF") ? text.slice(1) : text
}

/** Source: staging/src/k8s.io/cli-runtime/pkg/resource/builder.go says so of a path that is not there. */
const unreadable = (path: string, cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  if (code === "ENOENT") return `the path ${JSON.stringify(path)} does not exist`
  if (code === "EISDIR") return `the path ${JSON.stringify(path)} is a directory, and only files are read`
  return `the path ${JSON.stringify(path)} cannot be read: ${wordsOf(cause)}`
}

const unknownBehaviour = (behaviour: string, { lines }: BadInput): BadInput =>
  new BadInput({
    lines: [
      ...lines,
      `error: no behaviour is called ${JSON.stringify(behaviour)}; ` +
        `the built-in ones are ${builtInBehaviours.map(({ name }) => name).join(", ")}`
    ]
  })

const decodeAll = (documents: ReadonlyArray<BehaviourManifest>) => {
  const behaviours: Array<Behaviour> = []
  const problems: Array<ManifestProblem> = []
  const first = new Map<string, BehaviourManifest>()
  for (const { value, placeOf, ...place } of documents) {
    const decoded = decodeBehaviour(value)
    if (!decoded.ok) {
      for (const { path, message } of decoded.problems) {
        problems.push({
          ...place,
          ...placeOf(pathOfField(path)),
          message: path === "" ? message : `${path} ${message}`
        })
      }
      continue
    }
    const { name } = decoded.behaviour
    const twin = first.get(name)
    if (twin === undefined) first.set(name, { value, placeOf, ...place })
    else {
      const message = `Behaviour ${JSON.stringify(name)} is given twice: first at ${placeText(twin)}`
      problems.push({ ...place, message })
    }
    behaviours.push(decoded.behaviour)
  }
  return { behaviours, problems }
}

const notBehaviour = ({ file, document, line, column, kind }: ManifestDocument): ManifestProblem => ({
  file,
  document,
  line,
  column,
  message: `only Behaviours are expected in this file, and this is a ${kind.kind}`
})

const onlyByName = (behaviours: ReadonlyArray<Behaviour>): string => {
  const names = behaviours.map(({ name }) => name).join(", ")
  return `several behaviours have no match (${names}): Pods choose them by the annotation ${behaviourAnnotation}`
}

const replicasOf = ({ kind, draft }: ManifestDocument): number => {
  const resource = groupResourceOf(kind)
  if (resource === resources.pods) return 1
  if (resource !== resources.deployments && resource !== resources.replicaSets) return 0
  // A decoded draft has the types that its kind says, though Draft does not tell of a spec.
  const { spec } = draft as { readonly spec?: { readonly replicas?: number } }
  return spec?.replicas ?? 1
}

const tooManyPods = (documents: ReadonlyArray<ManifestDocument>): ReadonlyArray<ManifestProblem> =>
  documents
    .filter((document) => replicasOf(document) > podsMax)
    .map((document) => ({
      file: document.file,
      document: document.document,
      ...document.placeOf(["spec", "replicas"]),
      message:
        `${document.kind.kind} ${JSON.stringify(document.draft.metadata.name ?? "")} asks for ` +
        `${replicasOf(document)} Pods, and a run takes ${podsMax} at the most`
    }))

/** Counts each object at its largest: a later file changes what an earlier one made. */
const refuseTotal = (documents: ReadonlyArray<ManifestDocument>): Effect.Effect<void, BadInput> => {
  const most = new Map<string, number>()
  for (const document of documents) {
    const { namespace = "", name = "" } = document.draft.metadata
    const key = `${groupResourceOf(document.kind)} ${namespace}/${name}`
    most.set(key, Math.max(most.get(key) ?? 0, replicasOf(document)))
  }
  const total = [...most.values()].reduce((sum, replicas) => sum + replicas, 0)
  if (total <= podsMax) return Effect.void
  return Effect.fail(
    badInput(`all files together ask for ${total} Pods, and a run takes ${podsMax} at the most`)
  )
}
