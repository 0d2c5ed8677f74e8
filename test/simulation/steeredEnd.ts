import { annotationOf } from "../../src/kubernetes/apps/revisions/revisions.ts"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { hookLabel, steeredCondition } from "../../src/kubernetes/steering/steeringNames.ts"
import { imageOf } from "../steering/steeredShop.ts"
import { isJobComplete, jobFailure } from "../../src/kubernetes/steering/hookJobs.ts"
import { requestAnnotations } from "../../src/kubernetes/steering/steeringActions.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import type { ClusterService } from "../cluster/testCluster.ts"
import type { Deployment, EventObject } from "../../src/kubernetes/meta/objects.ts"

type View = ClusterService["view"]

interface Images {
  readonly last: string
  /** Of the revision that was last complete. */
  readonly stable: string
}

/** What must hold of the Deployment `web` once nothing moves. */
export const problemsAtEnd = (view: View, images: Images): ReadonlyArray<string> => {
  const deployment = view.get(resources.deployments, "default/web")
  if (deployment === undefined) return ["it is gone"]
  return [
    ...endProblems(deployment, images),
    ...requestProblems(deployment),
    ...jobProblems(view),
    ...eventProblems(view)
  ]
}

const steeredReport = ({ status }: Deployment) => {
  const { reason = "", message = "" } = conditionOf(status.conditions, steeredCondition) ?? {}
  return { reason, message }
}

/** The revision that adds the gate may go back to one without it, which its strategy cannot steer. */
const isBackWithoutGate = ({ reason, message }: ReturnType<typeof steeredReport>): boolean =>
  reason === "InvalidStrategy" && message.includes("has no readiness gate")

const endProblems = (deployment: Deployment, { last, stable }: Images): ReadonlyArray<string> => {
  const { spec, status } = deployment
  const report = steeredReport(deployment)
  const image = imageOf(deployment)
  const isWhole = status.availableReplicas === spec.replicas
  const isRight =
    last === "web:9"
      ? image === last && report.reason === "Complete" && isWhole
      : image === stable
        ? (report.reason === "RolledBack" || isBackWithoutGate(report)) && isWhole
        : // It was taken back before. Pods that were added meanwhile may be of the failed revision.
          image === last && report.reason === "Held"
  return isRight
    ? []
    : [`${last} ends at ${image ?? ""}, ${stable} was complete: ${report.reason} ${report.message}`]
}

/** Nothing follows a request while the strategy is invalid. */
const requestProblems = (deployment: Deployment): ReadonlyArray<string> =>
  steeredReport(deployment).reason === "InvalidStrategy"
    ? []
    : requestAnnotations
        .filter((name) => annotationOf(deployment, name) !== undefined)
        .map((name) => `${name} was neither followed nor removed`)

const jobProblems = (view: View): ReadonlyArray<string> =>
  [...view.all(resources.jobs)]
    .filter((job) => job.metadata.labels?.[hookLabel] !== undefined)
    .filter((job) => !isJobComplete(job) && jobFailure(job) === undefined)
    .map(({ metadata }) => `Job ${metadata.name} runs on`)

/** As many may come of changes, such as to a strategy and back; one at each look would be many more. */
const sameEventsMax = 5

const eventProblems = (view: View): ReadonlyArray<string> =>
  [...view.all(resources.events)].flatMap((object) => {
    const { count = 1, reason = "", message = "", source } = object as EventObject
    const isRepeated = source?.component === "charthouse-steer" && count > sameEventsMax
    // Events that are alike are counted together, each with its own text.
    return isRepeated && !message.startsWith("(combined") ? [`${count} times ${reason}: ${message}`] : []
  })
