import * as Effect from "effect/Effect"
import { assumed } from "../scenario/plan/assumptions.ts"
import { counted } from "../domain/counted.ts"
import { exactSpan } from "./ages.ts"
import { deploymentKeys } from "../scenario/plan/planRun.ts"
import { groupResourceOf, resources } from "../domain/kinds.ts"
import { inStandingNamespaces } from "../scenario/plan/standingNamespaces.ts"
import { namespaceOf, readLive } from "./planLive.ts"
import { readInput } from "./input.ts"
import { BadInput, badInput, refusing } from "./badInput.ts"
import { problemText } from "../manifests/manifest.ts"
import { packageVersion } from "../packageRoot.ts"
import { pageParts } from "./pageParts.ts"
import { print } from "./print.ts"
import { paletteFor } from "./palette.ts"
import { labelProblems } from "../domain/admission/names.ts"
import { planLines } from "./planText.ts"
import { playOnAllCores } from "./planWorker.ts"
import { sumUp } from "../scenario/plan/plan.ts"
import { predicatesIn, trippedBy } from "../scenario/plan/predicates.ts"
import { unmadePods } from "../scenario/plan/unmadePods.ts"
import { rehearse } from "./run.ts"
import { complain } from "./refuse.ts"
import { nodesDefault } from "../domain/nodesDefault.ts"
import type { ExitCode } from "./run.ts"
import type { Input } from "./input.ts"
import type { Live } from "./planLive.ts"
import type { ManifestDocument } from "../manifests/manifest.ts"
import type { Parsed } from "../scenario/plan/assumptions.ts"
import type { Plan } from "../scenario/plan/plan.ts"
import type { Predicate, TrippedPredicate } from "../scenario/plan/predicates.ts"
import type { Tripped } from "./planText.ts"

/** What is asked for on the command line. */
export interface PlanOptions {
  readonly file: string
  readonly from: string | undefined
  /** 1 to 100 where they are left out. */
  readonly seeds: ReadonlyArray<number> | undefined
  readonly behaviour: string | undefined
  readonly assume: string | undefined
  /** What runs before is read from a cluster: a kubeconfig, or `live` for the one that kubectl would use. */
  readonly kubeconfig: string | undefined
  readonly context: string | undefined
  /** Where objects are that name none: the context's where a cluster is read, or `default`, where it is left out. */
  readonly namespace: string | undefined
  /** Those of the cluster that is read, or 3, where it is left out. */
  readonly nodes: number | undefined
  readonly output: "table" | "json" | "html"
  readonly failOn: ReadonlyArray<string>
  /** Every order of events instead of seeds. */
  readonly exhaustive: boolean
  /** How many failures every order has at the most; 1 where it is left out. */
  readonly failures: number | undefined
}

/** Plays a rollout with many seeds, says what it will do, and judges it by what must not be. */
export const planFiles = (given: PlanOptions): Effect.Effect<ExitCode> =>
  Effect.gen(function* () {
    yield* refuseTwice(given)
    yield* refuseIdle(given)
    const { file, from, seeds = seedsDefault, assume } = given
    const options: SeededOptions = { ...given, seeds }
    const predicates = yield* Effect.forEach(options.failOn, (text) =>
      read("--fail-on", text, predicatesIn(text))
    )
    const files = from === undefined ? [file] : [from, file]
    // As kubectl has it, whose scripts leave a variable empty.
    const wanted = given.namespace === "" ? undefined : given.namespace
    yield* refuseMisnamed(wanted)
    const namespace = wanted ?? (isLive(options) ? yield* namespaceOf(liveOf(options)) : undefined)
    const input = yield* readInput({ files, behaviour: options.behaviour, namespace })
    yield* refuseElsewhere(wanted, input)
    const next = input.files.at(-1)?.documents ?? []
    const assumptions =
      assume === undefined
        ? { behaviour: input.behaviour, traffic: {} }
        : yield* read("--assume", assume, assumed(assume, input.behaviour))
    yield* refuseEmpty(file, deploymentKeys(next).length)
    const live = isLive(options) ? yield* readLive(liveOf(options), next) : undefined
    yield* refuseNodes(options, live)
    const running = live?.running
    const runs = from === undefined ? undefined : input.files[0]?.documents
    const before = live === undefined ? inStandingNamespaces(runs, next) : live.from
    yield* refuseUnasked(predicates.flat(), before ?? [], next)
    yield* rehearse({
      ...input,
      files: [
        { name: "", documents: before ?? [] },
        { name: file, documents: next }
      ]
    })
    for (const warning of input.warnings) complain(`warning: ${warning}`)
    // What a cluster has of their Pods is read from it.
    if (live === undefined)
      for (const note of unmadePods([...(before ?? []), ...next])) complain(`warning: ${note}`)
    for (const note of live?.notes ?? []) complain(note)
    const nodes = options.nodes ?? (live?.nodes === undefined ? nodesDefault : 0)
    if (options.exhaustive) {
      const { exploreFiles } = yield* Effect.promise(() => import("./exhaustive.ts"))
      const { output, failures = 1 } = options
      return yield* exploreFiles({
        ...(before === undefined ? {} : { from: before }),
        ...(running === undefined ? {} : { running }),
        next,
        nodes,
        failures,
        predicates: predicates.flat(),
        output
      })
    }
    const { behaviour, traffic } = assumptions
    // What somebody assumes counts for more than what was measured.
    const isAssumed = behaviour !== input.behaviour
    const world = {
      next,
      ...(before === undefined ? {} : { from: before }),
      ...(running === undefined ? {} : { running }),
      nodes,
      traffic,
      behaviours: [...input.behaviours, ...(isAssumed ? [] : (live?.behaviours ?? []))],
      ...(behaviour === undefined ? {} : { behaviour })
    }
    const parts = options.output === "html" ? yield* pageParts : undefined
    const played = yield* playOnAllCores(world, seeds)
    const plan = sumUp(world, played)
    const broken = trippedBy(plan, predicates.flat())
    const judged = broken.map(judgedOf)
    const isJudgedByStuck = predicates.flat().some(({ measure }) => measure === "stuck")
    const isStuck = !isJudgedByStuck && plan.rollouts.some(({ stuck, late }) => stuck + late > 0)
    const exitCode = judged.length > 0 || isStuck || plan.violations.length > 0 ? 1 : 0
    if (parts === undefined) yield* print(written(options, plan, judged, exitCode))
    else {
      const { planPage } = yield* Effect.promise(() => import("./planPage.ts"))
      const tripped = judged.map(told)
      yield* print(yield* planPage({ plan, world, played, broken, seeds: seedsOf(seeds), tripped, parts }))
    }
    return exitCode
  }).pipe(refusing)

const seedsDefault = Array.from({ length: 100 }, (_, index) => index + 1)

interface SeededOptions extends PlanOptions {
  readonly seeds: ReadonlyArray<number>
}

const isLive = ({ kubeconfig, context }: PlanOptions): boolean =>
  kubeconfig !== undefined || context !== undefined

const liveOf = ({ kubeconfig, context }: PlanOptions) => ({
  kubeconfig: kubeconfig === "live" ? undefined : kubeconfig,
  context
})

const refuseTwice = (options: PlanOptions): Effect.Effect<void, BadInput> =>
  isLive(options) && options.from !== undefined
    ? Effect.fail(
        badInput("what runs before is either in a file or in a cluster: give --from or --kubeconfig")
      )
    : Effect.void

/** Who asks a cluster that says which nodes it has has nothing more to say of them. */
const refuseNodes = ({ nodes }: PlanOptions, live: Live | undefined): Effect.Effect<void, BadInput> => {
  if (nodes === undefined || live?.nodes === undefined) return Effect.void
  const known = counted(live.nodes, "node")
  return Effect.fail(badInput(`--nodes has no part in a plan for a cluster whose nodes are known: ${known}`))
}

const refuseMisnamed = (namespace: string | undefined): Effect.Effect<void, BadInput> => {
  const [problem] = namespace === undefined ? [] : labelProblems(namespace)
  return problem === undefined ? Effect.void : Effect.fail(badInput(`--namespace ${namespace}: ${problem}`))
}

/** As kubectl does: whoever names a namespace means all of it to be there. */
const refuseElsewhere = (
  wanted: string | undefined,
  { files }: Pick<Input, "files">
): Effect.Effect<void, BadInput> => {
  const lines = files.flatMap(({ documents }) =>
    documents.flatMap((document) => {
      const { namespace = wanted } = document.draft.metadata
      if (wanted === undefined || namespace === wanted) return []
      const message =
        `the namespace from the provided object "${namespace}" does not match the namespace "${wanted}". ` +
        `You must pass '--namespace=${namespace}' to perform this operation.`
      return [problemText({ ...document, message })]
    })
  )
  return lines.length > 0 ? Effect.fail(new BadInput({ lines })) : Effect.void
}

/** What says how long things take, or how often they fail, says nothing where all of that may be so. */
const refuseIdle = (options: PlanOptions): Effect.Effect<void, BadInput> => {
  const { exhaustive, failures, assume, behaviour, seeds } = options
  if (exhaustive && seeds !== undefined) {
    return Effect.fail(badInput("--seeds has no part in --exhaustive, which leaves nothing to chance"))
  }
  const idle = assume !== undefined ? "--assume" : behaviour !== undefined ? "--behaviour" : undefined
  if (exhaustive && idle !== undefined) {
    return Effect.fail(
      badInput(`${idle} has no part in --exhaustive, which explores every order, however long anything takes`)
    )
  }
  return exhaustive || failures === undefined
    ? Effect.void
    : Effect.fail(badInput("--failures says how many there may be with --exhaustive"))
}

const written = (
  options: SeededOptions,
  plan: Plan,
  judged: ReadonlyArray<Tripped>,
  exitCode: ExitCode
): string =>
  options.output === "json"
    ? jsonOf(options, plan, judged, exitCode)
    : `${planLines(plan, judged, paletteFor(process.stdout)).join("\n")}\n`

const seedsOf = (seeds: ReadonlyArray<number>) => ({
  first: seeds[0] ?? 0,
  last: seeds.at(-1) ?? 0,
  count: seeds.length
})

/** What was read, or where it goes wrong, with a caret under the place. */
const read = <A>(flag: string, text: string, parsed: Parsed<A>): Effect.Effect<A, BadInput> =>
  parsed.ok
    ? Effect.succeed(parsed.value)
    : Effect.fail(
        new BadInput({
          lines: parsed.problems.flatMap(({ column, message }) => [
            `error: ${flag}, column ${column}: ${message}`,
            `  ${text}`,
            `  ${" ".repeat(column - 1)}^`
          ])
        })
      )

const refuseEmpty = (file: string, count: number): Effect.Effect<void, BadInput> =>
  count > 0
    ? Effect.void
    : Effect.fail(badInput(`${file} has no Deployment, so that there is no rollout to plan`))

/** What cannot be measured would never be true, and nobody would know. */
const refuseUnasked = (
  predicates: ReadonlyArray<Predicate>,
  before: ReadonlyArray<ManifestDocument>,
  next: ReadonlyArray<ManifestDocument>
): Effect.Effect<void, BadInput> => {
  const refuse = (text: string, why: string): Effect.Effect<void, BadInput> =>
    Effect.fail(badInput(`--fail-on ${text}: ${why}`))
  const known = deploymentKeys(before)
  const isNew = !deploymentKeys(next).some((key) => known.includes(key))
  const available = predicates.find(({ measure }) => measure === "available")
  if (available !== undefined && isNew)
    return refuse(
      available.text,
      "a Deployment that is new has none available to lose; say --from what it follows"
    )
  const lost = predicates.find(({ measure }) => measure === "lost")
  if (lost === undefined) return Effect.void
  if (isNew)
    return refuse(
      lost.text,
      "to a Deployment that is new nobody sends requests yet; say --from what it follows"
    )
  const hasService = [...before, ...next].some(({ kind }) => groupResourceOf(kind) === resources.services)
  return hasService
    ? Effect.void
    : refuse(lost.text, "there is no Service whose requests could be lost; put it into the file")
}

const judgedOf = ({ predicate, rollout, actual, whole }: TrippedPredicate): Tripped => ({
  predicate: predicate.text,
  rollout,
  actual: predicate.measure.startsWith("duration") ? spanOrEnd(actual) : `${actual} of ${whole}`
})

/** `Deployment/shop comes to 1m2.0s`, or to no end. */
const spanOrEnd = (millis: number): string => (millis === Infinity ? "no end" : exactSpan(millis))

const told = ({ predicate, rollout: { namespace, name }, actual }: Tripped) => ({
  predicate,
  namespace,
  name,
  actual
})

const jsonOf = (
  { seeds }: SeededOptions,
  plan: Plan,
  judged: ReadonlyArray<Tripped>,
  exitCode: ExitCode
): string => {
  const report = {
    version: packageVersion(),
    ...plan,
    seeds: seedsOf(seeds),
    nodes: plan.room.nodes,
    failed: judged.map(told),
    exitCode
  }
  const nullFor = (_key: string, value: unknown): unknown => (value === undefined ? null : value)
  return `${JSON.stringify(report, nullFor, 2)}\n`
}
