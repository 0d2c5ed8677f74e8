import type { GuardTerm } from "./chartNames.ts"

/** A guard in words; a pair if the negation needs its own words. */
type GuardWording = string | readonly [holds: string, fails: string]

const deployment: Readonly<Record<string, GuardWording>> = {
  isCreationRefused: "the new ReplicaSet was refused",
  isClaiming: "ReplicaSets to adopt or let go",
  isRenumbering: "its revision is not the newest yet",
  isTerminating: "being deleted",
  isPaused: "paused",
  isRollingBack: "an earlier revision is asked for",
  isScaling: "replicas have changed",
  rollingUpdate: "strategy RollingUpdate",
  recreate: "strategy Recreate",
  isNameTaken: "the new one's name is taken",
  isNextMissing: "the new ReplicaSet is missing",
  "rollingUpdate.isNameTaken": "the new one's name is taken",
  "rollingUpdate.isNextMissing": "the new ReplicaSet is missing",
  "rollingUpdate.mayResizeNew": "room for more new Pods",
  "rollingUpdate.mayScaleDownOld": "old Pods can be spared",
  "rollingUpdate.isDone": "all are new and available",
  "recreate.mayStopOld": "old Pods are still asked for",
  "recreate.isOldRunning": "old Pods are still there",
  "recreate.isNameTaken": "the new one's name is taken",
  "recreate.isNextMissing": "the new ReplicaSet is missing",
  "recreate.mayStartNew": "fewer new Pods than desired",
  "recreate.isDone": "all are new and available",
  isSetAside: "ReplicaSets are dealt with first",
  isUntracked: "no deadline is set",
  isPausing: "just paused",
  isSuspended: "paused since before",
  isCreating: "a new ReplicaSet is created",
  isNewlyComplete: "just complete",
  hasProgressed: "it has got further",
  isResuming: "just resumed",
  isNewlyFound: "its ReplicaSet was there already",
  isOverdue: "the deadline has passed",
  wasOverdue: "overdue since before",
  wasComplete: "complete since before",
  wasRefused: "refused since before",
  isAwaitingCheck: "complete since before, and old Pods terminate uncounted",
  isUnjudged: "it is not the strategy's turn",
  needsCheck: "a deadline runs, or old Pods end uncounted",
  needsSoonerCheck: "a check is due sooner",
  isAvailable: "enough are available"
}

const replicaSet: Readonly<Record<string, GuardWording>> = {
  isManageRefused: "creating or deleting Pods was refused",
  isTerminating: "being deleted",
  hasLostPods: "Pods were lost",
  hasTooFew: "too few Pods",
  hasTooMany: "too many Pods",
  isAwaitingAvailability: "a ready Pod is not available yet",
  hasMoreToCreate: "more are to be created"
}

const pod: Readonly<Record<string, GuardWording>> = {
  isByHand: "nobody moves it but you",
  isLeftBehind: "it has ended, and its object is left",
  isFailed: "it has failed",
  isSucceeded: "it has succeeded",
  isLost: "its node is lost",
  isBound: "it has a node",
  isNowTerminating: "it is to be deleted",
  saysNothingNew: ["nothing new", "something new"],
  isTerminating: "it is to be deleted",
  isGivenUp: "its kubelet has evicted it",
  isInitializing: "init containers are left",
  areDone: "all containers are done",
  isUnheard: "one hangs, and no probe knows",
  areReady: "all containers are ready",
  haveRun: "all containers have run",
  isMute: "those not ready hang",
  isHeldUp: "one waits out a back-off",
  hasInitFailed: "an init container has failed for good",
  isInitialized: "all init containers are done",
  isNowLost: "its node is lost",
  haveStopped: "all containers have stopped",
  didFail: "one has ended badly",
  hasRunHere: "it has run here",
  isHurried: "less grace than before",
  isLastToStop: "it is the last to stop",
  isBack: "its node is back"
}

const container: Readonly<Record<string, GuardWording>> = {
  wasRunning: "it ran before",
  wasTerminated: "it had ended",
  wasCrashing: "it waited after a crash",
  wasPulling: "a pull had failed",
  isNotPulled: "its image is not pulled",
  pullFails: "the pull fails",
  isImageThere: "the image is on the node",
  hasCrashed: "it is ended from outside",
  isSilent: "it is to hang",
  wasReady: "it was ready",
  hasStartupProbe: "a startup probe has to pass",
  losesReadiness: "it is to lose its readiness",
  isReadinessProbed: "a readiness probe asks it",
  isDoomed: "this run is to end",
  isProbeVerdict: "a probe ends it",
  mayRestart: "restartPolicy lets it run again",
  isFirstCrash: "its first crash"
}

const node: Readonly<Record<string, GuardWording>> = {
  isBeating: "its kubelet runs",
  isKnownLost: "it is lost already",
  isServing: "Pods on it count as ready",
  isMistainted: "taints and conditions differ",
  isOverdue: "Pods have to go now",
  isTolerated: "Pods have to go later"
}

const charts: Readonly<Record<string, Readonly<Record<string, GuardWording>>>> = {
  deployment,
  replicaSet,
  pod,
  container,
  node
}

export const guardWords = (chart: string, term: GuardTerm): string | undefined => {
  if (typeof term === "string") return pairOf(chart, term)?.[0]
  if (term.word === "not") {
    const [part] = term.parts
    return typeof part === "string" ? pairOf(chart, part)?.[1] : undefined
  }
  const parts = term.parts.map((part) => guardWords(chart, part))
  return parts.includes(undefined) ? undefined : parts.join(`, ${term.word} `)
}

const pairOf = (chart: string, name: string): readonly [string, string] | undefined => {
  const wording = Object.hasOwn(charts, chart) ? charts[chart]?.[name] : undefined
  return typeof wording === "string" ? [wording, `not: ${wording}`] : wording
}
