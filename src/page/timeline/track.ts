import { byCreation } from "../../domain/ownerReferences.ts"
import { isSameTemplate } from "../../domain/podTemplates.ts"
import { promisesOf } from "../../domain/promises.ts"
import { revisionOf } from "../../domain/revisions.ts"
import type { Deployment, ReplicaSet } from "../../domain/objects.ts"
import type { Happening } from "./happenings.ts"

/** What is so of one Deployment from an entry on, until the next row. */
export interface Row {
  /** Of the entry that brought it, or of the first one after it where waiting alone did. */
  readonly number: number
  readonly atMillis: number
  /** The ReplicaSet of the present template, by its uid. */
  readonly next: string | undefined
  /** Of those that have Pods at all; the newest revision first. */
  readonly byRevision: ReadonlyArray<RevisionPods>
  /** Ready for `minReadySeconds`, to the instant, whoever has noticed yet. */
  readonly available: number
  readonly desired: number
  /** How few may be available, and how many may be there that are not on their way out; undefined: as it comes. */
  readonly floor: number | undefined
  readonly ceiling: number | undefined
}

/** The Pods of one ReplicaSet; those that have ended are not counted. */
export interface RevisionPods {
  /** The ReplicaSet's. */
  readonly uid: string
  /** "" while it has none. */
  readonly revision: string
  readonly ready: number
  readonly notReady: number
  readonly terminating: number
}

/** How a Pod is counted. */
export type Standing = "ready" | "notReady" | "terminating"

/** A ReplicaSet and its Pods, whose ever they are: an owner may be told of after what it owns. */
export interface Brood {
  readonly uid: string
  replicaSet: ReplicaSet | undefined
  tally: Tally | undefined
  counts: RevisionPods
  available: number
  minReadyMillis: number
}

export const makeBrood = (uid: string): Brood => ({
  uid,
  replicaSet: undefined,
  tally: undefined,
  counts: { uid, revision: "", ready: 0, notReady: 0, terminating: 0 },
  available: 0,
  minReadyMillis: 0
})

/** Running counts of one Deployment: a change costs the same whatever the number of its Pods. */
export interface Tally {
  readonly uid: string
  deployment: Deployment | undefined
  isGone: boolean
  readonly broods: Map<string, Brood>
  /** Those of them that have Pods. */
  readonly peopled: Set<Brood>
  next: string | undefined
  readonly rows: Array<Row>
  readonly happenings: Array<Happening>
  /** When there was one of either. */
  readonly moments: Array<Moment>
}

export interface Moment {
  readonly number: number
  readonly atMillis: number
}

/** Adds to moments in order, each instant once. */
export const mark = (moments: Array<Moment>, { number, atMillis }: Moment): void => {
  if (moments.at(-1)?.atMillis !== atMillis) moments.push({ number, atMillis })
}

export const happen = (tally: Tally, happening: Happening): void => {
  tally.happenings.push(happening)
  mark(tally.moments, happening)
}

export const makeTally = (uid: string): Tally => ({
  uid,
  deployment: undefined,
  isGone: false,
  broods: new Map(),
  peopled: new Set(),
  next: undefined,
  rows: [],
  happenings: [],
  moments: []
})

/** Counts one Pod in or out. */
export const count = (
  brood: Brood,
  pod: { readonly standing: Standing | undefined; readonly isAvailable: boolean },
  by: 1 | -1
): void => {
  const { standing } = pod
  if (standing === undefined) return
  brood.counts = { ...brood.counts, [standing]: brood.counts[standing] + by }
  if (pod.isAvailable) brood.available += by
  const { ready, notReady, terminating } = brood.counts
  if (ready + notReady + terminating > 0) brood.tally?.peopled.add(brood)
  else brood.tally?.peopled.delete(brood)
}

/** Has a ReplicaSet belong to a Deployment, or to none. */
export const house = (brood: Brood, tally: Tally | undefined): void => {
  if (brood.tally === tally) return
  brood.tally?.broods.delete(brood.uid)
  brood.tally?.peopled.delete(brood)
  brood.tally = tally
  tally?.broods.set(brood.uid, brood)
  const { ready, notReady, terminating } = brood.counts
  if (ready + notReady + terminating > 0) tally?.peopled.add(brood)
}

/** Looks anew which ReplicaSet is of the present template: the oldest, where there are several. */
export const chooseNext = (tally: Tally): void => {
  const template = tally.deployment?.spec.template
  if (template === undefined) return
  const replicaSets = [...tally.broods.values()].flatMap(({ replicaSet }) => replicaSet ?? [])
  // Only of what can no longer change it is remembered how it compares.
  for (const { spec } of replicaSets) Object.freeze(spec.template)
  Object.freeze(template)
  const [next] = replicaSets.filter(({ spec }) => isSameTemplate(spec.template, template)).sort(byCreation)
  tally.next = next?.metadata.uid
}

/** The revision as it is written beside its Pods. */
export const revisionText = (replicaSet: ReplicaSet): string => {
  const revision = revisionOf(replicaSet)
  return revision === undefined || revision === 0n ? "" : String(revision)
}

/** Writes down what is so now, where that is another thing than before. */
export const note = (tally: Tally, number: number, atMillis: number): void => {
  const { deployment, rows } = tally
  if (deployment === undefined) return
  const last = rows.at(-1)
  const row = rowOf(tally, deployment, number, atMillis)
  if (last !== undefined && isSame(last, row)) return
  if (last?.number === number && last.atMillis === atMillis) rows.pop()
  rows.push(row)
  mark(tally.moments, row)
}

const rowOf = (tally: Tally, deployment: Deployment, number: number, atMillis: number): Row => {
  const { podsMax, availableMin } = promisesOf(deployment)
  let available = 0
  for (const brood of tally.peopled) available += brood.available
  const byRevision = Array.from(tally.peopled, ({ counts }) => counts)
  if (byRevision.length > 1) byRevision.sort(newestFirst)
  return {
    number,
    atMillis,
    next: tally.next,
    byRevision,
    available,
    desired: tally.isGone ? 0 : deployment.spec.replicas,
    floor: tally.isGone ? undefined : availableMin,
    ceiling: tally.isGone ? undefined : podsMax
  }
}

const newestFirst = (a: RevisionPods, b: RevisionPods): number => Number(b.revision) - Number(a.revision)

const isSame = (a: Row, b: Row): boolean =>
  a.next === b.next &&
  a.available === b.available &&
  a.desired === b.desired &&
  a.floor === b.floor &&
  a.ceiling === b.ceiling &&
  a.byRevision.length === b.byRevision.length &&
  a.byRevision.every((pods, index) => pods === b.byRevision[index])
