export const annotationPrefix = "charthouse.dev/"

/** Set by the user: the name and settings of a steering chart, as YAML. */
export const strategyAnnotation = `${annotationPrefix}strategy`
/** Set by the user: go on to the next step, or with `all` to the end. */
export const promoteAnnotation = `${annotationPrefix}promote`
/** Set by the user: take no further step. */
export const holdAnnotation = `${annotationPrefix}hold`
/** Set by the user: end this rollout. The value is the reason. */
export const abortAnnotation = `${annotationPrefix}abort`
/** Set by the steering controller: the progress of the rollout, as JSON. */
export const recordAnnotation = `${annotationPrefix}steering`
/** Set by the steering controller on a ReplicaSet: its hash, and when its revision was complete. */
export const completedAnnotation = `${annotationPrefix}completed`

export const approvalGate = `${annotationPrefix}approved`
export const steeredCondition = `${annotationPrefix}Steered`
/** The end of the condition's message when all steps are over and not all Pods are available. */
export const afterStepsText = "approves all its Pods"

/** Also the component in the controller's Events. */
export const steeringManager = "charthouse-steer"

/** Labels of the Jobs that hooks start, and of their Pods. */
export const hookLabel = `${annotationPrefix}hook`
export const revisionHashLabel = `${annotationPrefix}revision-hash`
