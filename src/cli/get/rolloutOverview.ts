import {
  annotationOf,
  newestRevisionFirst,
  revisionAnnotation
} from "../../kubernetes/apps/revisions/revisions.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { compareByCreation } from "../../kubernetes/meta/objectOrder.ts"
import { drawTree } from "../tree/drawTree.ts"
import { explainRollout } from "../../explain/objects/explainRollout.ts"
import { rolloutVerdict, workloadVerdictText } from "../../explain/health/workloadVerdict.ts"
import { ageJson, podJson } from "./podJson.ts"
import { steeringSummary } from "../../explain/workloads/explainSteering.ts"
import { timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import { objectsView } from "../tree/objectsView.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { rolloutStatus } from "../../kubernetes/apps/rolloutStatus.ts"
import { wrapLine } from "../terminal/wrapLine.ts"
import type { Deployment, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { RolloutNumbers } from "../../explain/objects/explainRollout.ts"
import type { Palette } from "../terminal/palette.ts"
import type { RolloutObjects } from "../../explain/remote/readRollout.ts"
import type { TreeView } from "../tree/podRows.ts"

/** With more Pods, the tree has a row per Pod state instead of per Pod. */
const overviewPodsMax = 100

export const rolloutOverviewLines = (
  objects: RolloutObjects,
  options: {
    readonly nowMillis: number
    readonly palette: Palette
    readonly width?: number
    /** With more lines, Pods are grouped by state. */
    readonly rowsMax?: number
  }
): ReadonlyArray<string> => {
  const { nowMillis, palette, width = Infinity, rowsMax = Infinity } = options
  const { deployment, pods, replicaSets, unreadable = [] } = objects
  const observation = observationOf(objects, nowMillis)
  const { state, sentences, steering, numbers } = explainRollout(observation)
  const verdict = rolloutVerdict(observation)
  const [title = "", ...reasons] = sentences
  const reasonCount = Math.max(0, reasons.length - unreadable.length - steering.length)
  // The sentences end with those on the steering, then those on what could not be read. Shows one sentence on why the
  // rollout waits, and two on the steering.
  const explanationLines = [
    ...(state === "complete" ? [] : reasons.slice(0, Math.min(1, reasonCount))),
    ...steering.slice(0, 2),
    ...reasons.slice(reasons.length - unreadable.length)
  ]
  const head = [
    ...(verdict === undefined ? [] : wrapLine(workloadVerdictText(verdict), width).map(palette.strong)),
    ...wrapLine(title, width),
    ...explanationLines.flatMap((line) => wrapLine(line, width)),
    ...wrapLine(numbersText(deployment, numbers), width).map(palette.dim),
    ""
  ]
  // The header, the Deployment, and two rows for each revision.
  const rows = head.length + 2 + replicaSets.length * 2 + pods.length
  const tree = drawTree({
    view: treeViewOf(objects),
    deployment,
    nowMillis,
    palette,
    width,
    podsListedMax: rows > rowsMax ? 0 : overviewPodsMax
  })
  return [...head, ...tree].slice(0, Math.max(1, rowsMax))
}

/** Unlike `charthouse explain`, the command reads no Events and no Namespace. */
const observationOf = (objects: RolloutObjects, nowMillis: number) => ({
  ...objects,
  events: [],
  namespace: undefined,
  nowMillis
})

const numbersText = (deployment: Deployment, numbers: RolloutNumbers): string => {
  const { desired, updated, available, old, terminating, availableFloor, podsCeiling } = numbers
  const bounds =
    deployment.spec.strategy.rollingUpdate !== undefined
      ? `; at least ${availableFloor} available, at most ${podsCeiling} asked for`
      : ""
  return (
    `${strategyText(deployment)}: desired ${desired}, updated ${updated}, available ${available}, ` +
    `old ${old}, terminating ${terminating}${bounds}`
  )
}

const strategyText = ({ spec }: Deployment): string => {
  const { type, rollingUpdate } = spec.strategy
  if (rollingUpdate === undefined) return type
  return `${type} (surge ${rollingUpdate.maxSurge ?? 0}, unavailable ${rollingUpdate.maxUnavailable ?? 0})`
}

const treeViewOf = ({ deployment, replicaSets, pods, unreadable = [] }: RolloutObjects): TreeView => {
  const objectsByResource = new Map<string, ReadonlyArray<KubeObject>>([
    [resources.deployments, [deployment]],
    [resources.replicaSets, replicaSets],
    [resources.pods, pods]
  ])
  return {
    ...objectsView(objectsByResource),
    arePodsUnreadable: unreadable.some(({ resource }) => resource === "Pods")
  }
}

export const rolloutJson = (objects: RolloutObjects, nowMillis: number): object => {
  const { deployment, replicaSets, pods, unreadable = [] } = objects
  const observation = observationOf(objects, nowMillis)
  const { state, numbers } = explainRollout(observation)
  const steering = steeringSummary(observation)
  const { name, namespace, uid, generation } = deployment.metadata
  return {
    at: timestampOf(nowMillis),
    deployment: {
      name,
      namespace,
      uid,
      generation,
      paused: deployment.spec.paused === true,
      ...ageJson(deployment, nowMillis)
    },
    verdict: rolloutVerdict(observation),
    state,
    message: rolloutStatus(deployment).message,
    strategy: deployment.spec.strategy,
    ...(steering === undefined ? {} : { steering }),
    numbers,
    ...(unreadable.length === 0
      ? {}
      : {
          unread: unreadable.map(({ resource, serverMessage }) => ({ what: resource, why: serverMessage }))
        }),
    revisions: [...replicaSets].sort(newestRevisionFirst).map((replicaSet) => ({
      revision: annotationOf(replicaSet, revisionAnnotation),
      replicaSet: {
        name: replicaSet.metadata.name,
        uid: replicaSet.metadata.uid,
        images: (replicaSet.spec.template.spec?.containers ?? []).map(({ image }) => image ?? ""),
        desired: replicaSet.spec.replicas,
        ready: replicaSet.status.readyReplicas ?? 0,
        available: replicaSet.status.availableReplicas ?? 0,
        ...ageJson(replicaSet, nowMillis)
      },
      pods: pods
        .filter((pod) => controllerOf(pod)?.uid === replicaSet.metadata.uid)
        .sort(compareByCreation)
        .map((pod) => podJson(pod, nowMillis))
    }))
  }
}
