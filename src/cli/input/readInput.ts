import * as Effect from "effect/Effect"
import { BadInput, badInput } from "./badInput.ts"
import { builtInBehaviours } from "../../behaviours/builtInBehaviours.ts"
import { behaviourAnnotation } from "../../behaviours/matchBehaviours.ts"
import { decodeBehaviour } from "../../behaviours/decodeBehaviour.ts"
import { groupResourceOf, resources } from "../../kubernetes/meta/kinds.ts"
import { skippedTypeWarnings } from "../../manifests/skippedTypes.ts"
import { parseFieldPath } from "../../kubernetes/meta/text/fieldPath.ts"
import { locationText, problemText } from "../../manifests/manifestDocument.ts"
import { readManifests } from "../../manifests/readManifests.ts"
import { readTextFiles, checkStdinUsedOnce } from "./textFiles.ts"
import type { ManifestSource } from "./manifestSources.ts"
import type { RefusedObject } from "../../manifests/refusedObjects.ts"
import type { ServedKinds } from "../../manifests/definedKinds.ts"
import type { Behaviour } from "../../behaviours/behaviour.ts"
import type {
  BehaviourManifest,
  ManifestDocument,
  ManifestProblem
} from "../../manifests/manifestDocument.ts"

export interface DecodedInput {
  /** One entry per group of files that are applied together, in the order of application. */
  readonly files: ReadonlyArray<{
    readonly name: string
    readonly fileNames: ReadonlyArray<string>
    readonly documents: ReadonlyArray<ManifestDocument>
  }>
  readonly behaviours: ReadonlyArray<Behaviour>
  /** The behaviour of Pods that match none of `behaviours`; undefined for the cluster's default. */
  readonly behaviour: Behaviour | undefined
  readonly warnings: ReadonlyArray<string>
  /** Empty unless `toleratesRefused`. */
  readonly refused: ReadonlyArray<RefusedObject>
}

/** More Pods need more memory than most machines have. */
const podsMax = 100_000

export const readInput = Effect.fnUntraced(function* (options: {
  /** In the order of application; the sources of an inner array are applied together. */
  readonly files: ReadonlyArray<ManifestSource | ReadonlyArray<ManifestSource>>
  readonly behaviour: string | undefined
  /** The namespace of objects that name none. */
  readonly namespace?: string | undefined
  /** The kinds that the cluster serves before the files are applied; the built-in ones by default. */
  readonly kinds?: ServedKinds | undefined
  readonly skipsCustomResources?: boolean
  /** Then behaviours and warnings come from the last group only. */
  readonly areVersionsOfSameFiles?: boolean
  /** The server merges the objects, as with `kubectl apply --server-side`. */
  readonly serverSide?: boolean
  /** Objects of the last group that cannot be read are no problem of the others. */
  readonly toleratesRefused?: boolean
}): Effect.fn.Return<DecodedInput, BadInput> {
  const { behaviour, namespace, skipsCustomResources = false, serverSide = false } = options
  const builtIn = builtInBehaviours.find(({ name }) => name === behaviour)
  const behaviourFiles = behaviour === undefined || builtIn !== undefined ? [] : [behaviour]
  const groups = options.files.map((files): ReadonlyArray<ManifestSource> => [files].flat())
  yield* checkStdinUsedOnce([...groups.flat(), ...behaviourFiles])
  const texts = yield* readTextFiles(groups.flat())
  const behaviourTexts = yield* readTextFiles(behaviourFiles).pipe(
    Effect.mapError((error) => (behaviour === undefined ? error : withBuiltInNames(behaviour, error)))
  )

  // An object may be in several groups, but only once in each.
  const readOptions = { strict: true, namespace, skipsCustomResources, serverSide }
  let { kinds } = options
  const files = splitIntoGroups(texts, groups).map((group, index) => {
    const isLast = index === groups.length - 1
    const manifests = readManifests(group, {
      ...readOptions,
      kinds,
      toleratesRefused: options.toleratesRefused === true && isLast,
      // What runs before was applied when they were served.
      skipsRemovedVersions: !isLast
    })
    // The next group may use the kinds that this one defines.
    kinds = manifests.kinds
    return { fileNames: group.map(({ name }) => name), ...manifests }
  })
  const behaviourManifests = behaviourTexts.map((file) => readManifests([file], { strict: true }))
  const allManifests = [...files, ...behaviourManifests]
  const manifestsOfLastVersion = [
    ...(options.areVersionsOfSameFiles === true ? files.slice(-1) : files),
    ...behaviourManifests
  ]
  const decoded = decodeBehaviours(manifestsOfLastVersion.flatMap(({ behaviours }) => behaviours))
  const notBehaviourProblems = behaviourManifests.flatMap(({ documents }) =>
    documents.map(notABehaviourProblem)
  )
  const problems = [
    ...allManifests.flatMap(({ problems }) => problems),
    ...notBehaviourProblems,
    ...decoded.problems,
    ...files.flatMap(({ documents }) => tooManyPodsProblems(documents))
  ]
  if (problems.length > 0) return yield* new BadInput({ lines: problems.map(problemText) })
  yield* checkTotalPods(files.flatMap(({ documents }) => documents))

  const withoutMatch = decoded.behaviours.filter(({ match }) => match === undefined)
  const defaultBehaviour = withoutMatch.length === 1 ? withoutMatch[0] : undefined
  return {
    files: files.map(({ fileNames, documents }) => ({ name: fileNames.join(", "), fileNames, documents })),
    behaviours: decoded.behaviours,
    behaviour: builtIn ?? defaultBehaviour,
    refused: files.flatMap(({ refused }) => refused),
    warnings: [
      ...manifestsOfLastVersion.flatMap(({ warnings }) => warnings.map(problemText)),
      ...skippedTypeWarnings(manifestsOfLastVersion.flatMap(({ skippedTypes }) => skippedTypes)),
      ...(withoutMatch.length > 1 ? [severalDefaultsText(withoutMatch)] : [])
    ]
  }
})

const splitIntoGroups = <A>(
  all: ReadonlyArray<A>,
  groups: ReadonlyArray<ReadonlyArray<unknown>>
): ReadonlyArray<ReadonlyArray<A>> => {
  const remaining = [...all]
  return groups.map(({ length }) => remaining.splice(0, length))
}

/** The missing file may be a misspelt built-in name. */
const withBuiltInNames = (behaviour: string, { lines }: BadInput): BadInput =>
  new BadInput({
    lines: [
      ...lines,
      `error: no behaviour is called ${JSON.stringify(behaviour)}; ` +
        `the built-in ones are ${builtInBehaviours.map(({ name }) => name).join(", ")}`
    ]
  })

const decodeBehaviours = (documents: ReadonlyArray<BehaviourManifest>) => {
  const behaviours: Array<Behaviour> = []
  const problems: Array<ManifestProblem> = []
  const firstByName = new Map<string, BehaviourManifest>()
  for (const { value, placeOf, ...location } of documents) {
    const decoded = decodeBehaviour(value)
    if (!decoded.ok) {
      for (const { path, message } of decoded.problems) {
        problems.push({
          ...location,
          ...placeOf(parseFieldPath(path)),
          message: path === "" ? message : `${path} ${message}`
        })
      }
      continue
    }
    const { name } = decoded.behaviour
    const duplicate = firstByName.get(name)
    if (duplicate === undefined) firstByName.set(name, { value, placeOf, ...location })
    else {
      const message = `Behaviour ${JSON.stringify(name)} is given twice: first at ${locationText(duplicate)}`
      problems.push({ ...location, message })
    }
    behaviours.push(decoded.behaviour)
  }
  return { behaviours, problems }
}

const notABehaviourProblem = ({ file, document, line, column, kind }: ManifestDocument): ManifestProblem => ({
  file,
  document,
  line,
  column,
  message: `only Behaviours are expected in this file, and this is a ${kind.kind}`
})

const severalDefaultsText = (behaviours: ReadonlyArray<Behaviour>): string => {
  const names = behaviours.map(({ name }) => name).join(", ")
  return `several behaviours have no match (${names}): Pods choose them by the annotation ${behaviourAnnotation}`
}

const podCountOf = ({ kind, draft }: ManifestDocument): number => {
  const resource = groupResourceOf(kind)
  if (resource === resources.pods) return 1
  if (resource !== resources.deployments && resource !== resources.replicaSets) return 0
  // A decoded draft of these kinds has a `spec`, which `Draft` lacks.
  const { spec } = draft as { readonly spec?: { readonly replicas?: number } }
  return spec?.replicas ?? 1
}

const tooManyPodsProblems = (documents: ReadonlyArray<ManifestDocument>): ReadonlyArray<ManifestProblem> =>
  documents
    .filter((document) => podCountOf(document) > podsMax)
    .map((document) => ({
      file: document.file,
      document: document.document,
      ...document.placeOf(["spec", "replicas"]),
      message:
        `${document.kind.kind} ${JSON.stringify(document.draft.metadata.name ?? "")} asks for ` +
        `${podCountOf(document)} Pods, and a run takes ${podsMax} at the most`
    }))

/** An object in several files counts once, at its largest. */
const checkTotalPods = (documents: ReadonlyArray<ManifestDocument>): Effect.Effect<void, BadInput> => {
  const podsByObject = new Map<string, number>()
  for (const document of documents) {
    const { namespace = "", name = "" } = document.draft.metadata
    const key = `${groupResourceOf(document.kind)} ${namespace}/${name}`
    podsByObject.set(key, Math.max(podsByObject.get(key) ?? 0, podCountOf(document)))
  }
  const total = [...podsByObject.values()].reduce((sum, count) => sum + count, 0)
  if (total <= podsMax) return Effect.void
  return Effect.fail(
    badInput(`all files together ask for ${total} Pods, and a run takes ${podsMax} at the most`)
  )
}
