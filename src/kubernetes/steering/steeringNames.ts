export const annotationPrefix = "charthouse.dev/"

/** A steering chart and its settings, as YAML. */
export const strategyAnnotation = `${annotationPrefix}strategy`
/** The value `all` promotes to the end. */
export const promoteAnnotation = `${annotationPrefix}promote`
export const holdAnnotation = `${annotationPrefix}hold`
/** The value is the reason. */
export const abortAnnotation = `${annotationPrefix}abort`
/** The progress of the rollout, as JSON. */
export const recordAnnotation = `${annotationPrefix}steering`
/** On a ReplicaSet: its hash, and when its revision was complete. */
export const completedRevisionAnnotation = `${annotationPrefix}completed`

export const approvalGate = `${annotationPrefix}approved`
/** On a Deployment: True while its steering does what it should. */
export const steeredCondition = `${annotationPrefix}Steered`
/** Ends the message of `steeredCondition` when all steps are over and not all Pods are available. */
export const approvesAllPodsText = "approves all its Pods"

export const afterDeadlineTexts = {
  steered: "its steering decides what follows",
  unsteered: "nothing is rolled back by itself"
} as const

/** The field manager of writes by steering. */
export const steeringManager = "charthouse-steer"

/** On the Jobs of hooks and their Pods: the name of the hook. */
export const hookLabel = `${annotationPrefix}hook`
export const revisionHashLabel = `${annotationPrefix}revision-hash`
