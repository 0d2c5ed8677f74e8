import { conditionOf } from "../../meta/conditions.ts"
import type { Job } from "./jobTypes.ts"

/** Source: pkg/controller/job/util/utils.go (FinishedCondition). */
export const finishedConditionType = ({ status }: Job): "Complete" | "Failed" | undefined =>
  (["Complete", "Failed"] as const).find((type) => conditionOf(status.conditions, type)?.status === "True")

export const isJobFinished = (job: Job): boolean => finishedConditionType(job) !== undefined

const jobController = "kubernetes.io/job-controller"

export const isManagedElsewhere = ({ spec: { managedBy = jobController } }: Job): boolean =>
  managedBy !== jobController
