import { observeDeployment } from "../../domain/observations.ts"
import { nextName } from "../../domain/newReplicaSet.ts"
import { revisionAnnotation } from "../../domain/revisions.ts"
import { withReports } from "../../domain/deploymentStatus.ts"
import { asking, presentOf, seenOf, toldAvailableOf } from "./brood.ts"
import { judgeStatus } from "../ledger/judgements.ts"
import { judgeStep } from "../ledger/violations.ts"
import { instantMillis, writeOf } from "./deploymentWrites.ts"
import { storedAs } from "./chapters.ts"
import type { Packed } from "./brood.ts"
import type { Command } from "../../domain/commands.ts"
import type { StatusReport } from "../../domain/deploymentStatus.ts"
import type { Deployment, ReplicaSet } from "../../domain/objects.ts"
import type { Chapter, Chapters } from "./chapters.ts"
import type { Objects, Waiting, Write } from "./deploymentWrites.ts"
import type { PlayedChart } from "./emitted.ts"
import type { Broken } from "../ledger/violations.ts"
import type { Broods, Outcome } from "./step.ts"

/** What a Deployment's turn comes to, up to one of its writes: after each it may be stopped, and begin anew. */
export interface DeploymentOutcome extends Outcome {
  readonly asked: readonly [number, number]
  /** Whether Recreate may begin depends on how many Pods are really there, which nobody has told the Deployment. */
  readonly judge: ((broods: Broods) => ReadonlyArray<Broken>) | undefined
  readonly waiting: Waiting | undefined
}

export interface DeploymentTurns {
  readonly of: (chapter: Chapter, first: number, second: number) => ReadonlyArray<DeploymentOutcome>
  /** How many different observations the chart was shown. */
  readonly looks: () => number
}

const seenBits = 12
const pairShift = 2 ** (2 * seenBits)

/**
 * The turns of the Deployment's controller: what is there becomes an observation, the chart decides, and its commands
 * are performed. The same observation is decided once; a world of a million states has a few thousand.
 */
export const makeDeploymentTurns = (
  chart: PlayedChart,
  chapters: Chapters,
  options: { readonly seesPods: boolean }
): DeploymentTurns => {
  const known = new Map<number, Map<number, ReadonlyArray<DeploymentOutcome>>>()
  let looks = 0

  const decide = (chapter: Chapter, broods: Broods, podsUnderPrevious: number) => {
    looks += 1
    const replicaSets = chapter.replicaSets.map((it, slot) => it && storedAs(it, broods[slot] ?? 0))
    const [, commands] = chart.send(chart.begin(), observed(chapter, replicaSets, podsUnderPrevious))
    return perform({ chapters, chapter, broods }, replicaSets, commands)
  }
  return {
    looks: () => looks,
    of: (chapter, first, second) => {
      const under = options.seesPods ? podsUnder(chapter, first, second) : 0
      const key = (seenOf(first) | (seenOf(second) << seenBits)) + under * pairShift
      let turns = known.get(chapter.id)
      if (turns === undefined) known.set(chapter.id, (turns = new Map()))
      let outcomes = turns.get(key)
      if (outcomes === undefined) turns.set(key, (outcomes = decide(chapter, [first, second], under)))
      return outcomes
    }
  }
}

/** Pods of all revisions but the present one, stopping ones among them. */
const podsUnder = ({ next }: Chapter, first: number, second: number): number =>
  (next === 0 ? 0 : presentOf(first)) + (next === 1 ? 0 : presentOf(second))

const observed = (
  { deployment, replicaSets: slots, next }: Chapter,
  replicaSets: ReadonlyArray<ReplicaSet | undefined>,
  podsUnderPrevious: number
) => {
  const owned = replicaSets.filter((it) => it !== undefined)
  const name = nextName(deployment)
  const previousUid = slots.find((it, slot) => it !== undefined && slot !== next)?.metadata.uid
  const seen = observeDeployment({
    deployment,
    owned,
    orphans: [],
    podsOf: (uid) => (uid === previousUid ? podsUnderPrevious : 0),
    namesake: owned.find((it) => it.metadata.name === name),
    nowMillis: instantMillis
  })
  return { type: "observed", seen }
}

interface Place {
  readonly chapters: Chapters
  readonly chapter: Chapter
  readonly broods: Broods
}

/** Performs in order and says what is so after each write; what is reported is one write, and the last. */
const perform = (
  place: Place,
  replicaSets: ReadonlyArray<ReplicaSet | undefined>,
  commands: ReadonlyArray<Command>
): ReadonlyArray<DeploymentOutcome> => {
  const writes: Array<Write> = []
  const outcomes: Array<DeploymentOutcome> = []
  const reports: Array<StatusReport> = []
  let objects: Objects = { deployment: place.chapter.deployment, replicaSets }
  let revision: string | undefined
  const add = (write: Write, broken: ReadonlyArray<Broken> = []): void => {
    objects = write.objects
    writes.push(write)
    const outcome = outcomeOf(place, [...writes], broken)
    if (outcome !== undefined) outcomes.push(outcome)
  }
  for (const command of commands) {
    if (command.type === "report") reports.push(command.report)
    else if (command.type === "showRevision") ({ revision } = command)
    else if (command.type !== "recordEvent" && command.type !== "lookAgain") {
      if (command.type === "createReplicaSet")
        revision = command.replicaSet.metadata.annotations?.[revisionAnnotation]
      add(writeOf(objects, command))
    }
  }
  if (reports.length > 0 || revision !== undefined) {
    const deployment = reported(objects.deployment, reports, revision)
    const write = { objects: { ...objects, deployment }, what: () => "wrote its status" }
    add(write, judgeStatus(objects.deployment, deployment))
  }
  return outcomes
}

const reported = (
  deployment: Deployment,
  reports: ReadonlyArray<StatusReport>,
  revision: string | undefined
): Deployment => {
  const shown = revision === undefined ? {} : { [revisionAnnotation]: revision }
  return {
    ...deployment,
    metadata: { ...deployment.metadata, annotations: { ...deployment.metadata.annotations, ...shown } },
    status: withReports(deployment.status, reports, instantMillis)
  }
}

/** What is so after these writes; undefined where that is what was so before them. */
const outcomeOf = (
  place: Place,
  writes: ReadonlyArray<Write>,
  broken: ReadonlyArray<Broken>
): DeploymentOutcome | undefined => {
  const { chapters, chapter, broods } = place
  const { deployment, replicaSets } = writes.at(-1)?.objects ?? chapter
  const reached = chapters.of(deployment, replicaSets)
  const asked = [sizeOf(replicaSets[0]), sizeOf(replicaSets[1])] as const
  const isChanged =
    reached !== chapter ||
    asking(broods[0], asked[0]) !== broods[0] ||
    asking(broods[1], asked[1]) !== broods[1]
  if (!isChanged && broken.length === 0) return undefined
  const judges = writes.flatMap((write) => (write.resized === undefined ? [] : judgeOf(place, write)))
  return {
    chapter: reached,
    asked,
    broken,
    waiting: writes.find(({ waiting }) => waiting !== undefined)?.waiting,
    judge: judges.length === 0 ? undefined : perPods((pods) => judges.flatMap((judge) => judge(pods))),
    step: {
      who: () => "Deployment",
      what: (at) => writes.map(({ what }) => what(at)).join(", "),
      isFailure: false
    }
  }
}

const sizeOf = (replicaSet: ReplicaSet | undefined): number => replicaSet?.spec.replicas ?? 0

/** Pods that are there are four counts of 4 bits. */
const presentBits = 6

/** Remembers verdicts: many worlds differ in nothing that is judged. */
const perPods = (judge: (broods: Broods) => ReadonlyArray<Broken>) => {
  const verdicts = new Map<number, ReadonlyArray<Broken>>()
  return (broods: Broods): ReadonlyArray<Broken> => {
    const key = presentOf(broods[0]) | (presentOf(broods[1]) << presentBits)
    let verdict = verdicts.get(key)
    if (verdict === undefined) verdicts.set(key, (verdict = judge(broods)))
    return verdict
  }
}

/**
 * A step as it is judged in every run, but for this: here the controller sees whatever is reported, and so is held to
 * what is reported alone. It is no excuse that there are more.
 */
const judgeOf =
  ({ chapter }: Place, { objects, resized }: Write) =>
  ([first, second]: Broods): ReadonlyArray<Broken> => {
    if (resized === undefined) return []
    const broodOf = (uid: string): Packed => (chapter.replicaSets[0]?.metadata.uid === uid ? first : second)
    return judgeStep({
      ...resized,
      deployment: chapter.deployment,
      account: {
        availableOf: (uid) => toldAvailableOf(broodOf(uid)),
        presentOf: (uid) => presentOf(broodOf(uid))
      },
      family: objects.replicaSets.filter((it) => it !== undefined)
    })
  }
