import { changeValue, fillField, fillComputed, type FieldDefault } from "./fieldDefaults.ts"
import { defaultTemplate } from "./podDefaults.ts"
import { claimDefaults } from "./volumeDefaults.ts"
import { fieldsOrEmpty, isFields, type Fields } from "../../meta/fields.ts"

/** Source: pkg/apis/{apps/v1,batch/v1,core/v1}/defaults.go, pkg/apis/apps/v1/conversion.go. */

const podTemplate = (path: string): ReadonlyArray<FieldDefault> => [
  fillField(path, {}),
  changeValue(path, defaultTemplate)
]

const isRollingUpdate = ({ type }: Fields): boolean => type === "RollingUpdate"

/** The field gets a default only with the strategy RollingUpdate. */
const fillRollingUpdate = (field: string, value: number): FieldDefault => ({
  ...fillComputed(`spec.updateStrategy.rollingUpdate.${field}`, (_rollingUpdate, { spec }) => {
    const strategy = fieldsOrEmpty(fieldsOrEmpty(spec)["updateStrategy"])
    return isRollingUpdate(strategy) ? value : undefined
  }),
  keepsEmptyText: true
})

const templateLabelsOf = ({ spec }: Fields): Fields | undefined => {
  const template = fieldsOrEmpty(fieldsOrEmpty(spec)["template"])
  const labels = fieldsOrEmpty(template["metadata"])["labels"]
  return isFields(labels) && Object.keys(labels).length > 0 ? labels : undefined
}

const labelsFromTemplate = fillComputed("metadata.labels", (_metadata, object) => templateLabelsOf(object))

const conditionStatusOfFailurePolicy = (path: string): FieldDefault =>
  fillField(`${path}.podFailurePolicy.rules[].onPodConditions[].status`, "True")

const unlimitedBackoffLimit = 2 ** 31 - 1

export const workloadDefaults: Readonly<Record<string, ReadonlyArray<FieldDefault>>> = {
  "apps/DaemonSet": [
    fillField("spec", {}),
    ...podTemplate("spec.template"),
    fillField("spec.updateStrategy", {}),
    fillField("spec.updateStrategy.type", "RollingUpdate"),
    fillComputed("spec.updateStrategy.rollingUpdate", (strategy) =>
      isRollingUpdate(strategy) ? {} : undefined
    ),
    fillRollingUpdate("maxUnavailable", 1),
    fillRollingUpdate("maxSurge", 0),
    fillField("spec.revisionHistoryLimit", 10)
  ],
  "apps/StatefulSet": [
    fillField("spec", {}),
    ...podTemplate("spec.template"),
    fillField("spec.podManagementPolicy", "OrderedReady"),
    fillField("spec.updateStrategy", {}),
    // A type that the client gives leaves `rollingUpdate` as it is.
    fillComputed("spec.updateStrategy.rollingUpdate", ({ type = "" }) => (type === "" ? {} : undefined)),
    fillField("spec.updateStrategy.type", "RollingUpdate"),
    fillRollingUpdate("partition", 0),
    fillField("spec.persistentVolumeClaimRetentionPolicy", {}),
    fillField("spec.persistentVolumeClaimRetentionPolicy.whenDeleted", "Retain"),
    fillField("spec.persistentVolumeClaimRetentionPolicy.whenScaled", "Retain"),
    fillField("spec.replicas", 1),
    fillField("spec.revisionHistoryLimit", 10),
    fillField("spec.volumeClaimTemplates[].apiVersion", "v1"),
    fillField("spec.volumeClaimTemplates[].kind", "PersistentVolumeClaim"),
    ...claimDefaults("spec.volumeClaimTemplates[]."),
    fillField("spec.volumeClaimTemplates[].status", {}),
    fillField("spec.volumeClaimTemplates[].status.phase", "Pending")
  ],
  "/ReplicationController": [
    fillField("spec", {}),
    fillField("spec.replicas", 1),
    changeValue("spec.template", defaultTemplate),
    fillComputed("spec.selector", (_spec, object) => templateLabelsOf(object)),
    labelsFromTemplate
  ],
  "/PodTemplate": podTemplate("template"),
  "batch/Job": [
    fillField("spec", {}),
    ...podTemplate("spec.template"),
    fillComputed("spec.completions", ({ parallelism }) => (parallelism === undefined ? 1 : undefined)),
    fillField("spec.parallelism", 1),
    fillComputed("spec.backoffLimit", ({ backoffLimitPerIndex }) =>
      backoffLimitPerIndex === undefined ? 6 : unlimitedBackoffLimit
    ),
    fillField("spec.completionMode", "NonIndexed"),
    fillField("spec.suspend", false),
    fillField("spec.manualSelector", false),
    fillComputed("spec.podReplacementPolicy", ({ podFailurePolicy }) =>
      podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed"
    ),
    conditionStatusOfFailurePolicy("spec"),
    labelsFromTemplate
  ],
  "batch/CronJob": [
    fillField("spec", {}),
    fillField("spec.jobTemplate", {}),
    fillField("spec.jobTemplate.spec", {}),
    ...podTemplate("spec.jobTemplate.spec.template"),
    fillField("spec.concurrencyPolicy", "Allow"),
    fillField("spec.suspend", false),
    fillField("spec.successfulJobsHistoryLimit", 3),
    fillField("spec.failedJobsHistoryLimit", 1),
    conditionStatusOfFailurePolicy("spec.jobTemplate.spec")
  ]
}
