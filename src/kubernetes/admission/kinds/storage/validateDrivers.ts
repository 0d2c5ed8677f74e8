import type * as Storage from "kubernetes-types/storage/v1.js"
import type { Draft } from "../../../meta/objects.ts"
import {
  duplicateValue,
  forbiddenField,
  invalidField,
  noErrors,
  requiredValue,
  unsupportedValue,
  validateNonNegative,
  validateOptionalOneOf,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import {
  isUnchanged,
  validateUnchangedFields,
  validateUnchanged
} from "../../../validation/immutableFields.ts"
import { qualifiedNameProblems, subdomainProblems } from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { validateNameBy, validateOptionalName } from "../../../validation/validateNames.ts"
import { validateDriverName } from "./validateVolumeSource.ts"

interface AttachmentDraft extends Draft {
  readonly spec?: DeepPartial<Storage.VolumeAttachmentSpec>
}

/** Source: pkg/apis/storage/validation/validation.go (ValidateCSIDriver, ValidateCSINode). */
export const validateVolumeAttachment = ({ spec = {} }: AttachmentDraft): FieldErrors => {
  const { attacher = "", source = {} } = spec
  const { inlineVolumeSpec, persistentVolumeName: name } = source
  const exactlyOne = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
  return [
    ...(attacher === "" ? [requiredValue("spec.attacher")] : noErrors),
    ...(inlineVolumeSpec === undefined && name === undefined
      ? [requiredValue("spec.source", exactlyOne)]
      : noErrors),
    ...(inlineVolumeSpec !== undefined && name !== undefined
      ? [forbiddenField("spec.source", exactlyOne)]
      : noErrors),
    ...(inlineVolumeSpec === undefined && name === ""
      ? [requiredValue("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName")]
      : noErrors),
    ...validateNameBy(subdomainProblems, spec.nodeName, "spec.nodeName"),
    ...(attacher === "" ? noErrors : validateDriverName(attacher, "spec.attacher")),
    ...validateOptionalName(subdomainProblems, name, "spec.source.persistentVolumeName")
  ]
}

export const validateVolumeAttachmentUpdate = (
  attachment: AttachmentDraft,
  old: AttachmentDraft
): FieldErrors => [
  ...validateVolumeAttachment(attachment),
  ...validateUnchanged(attachment.spec, old.spec, "spec")
]

interface DriverDraft extends Draft {
  readonly spec?: DriverSpec
}

type DriverSpec = DeepPartial<Storage.CSIDriverSpec>

const fsGroupPolicies = ["File", "None", "ReadWriteOnceWithFSType"]
const lifecycleModes = ["Persistent", "Ephemeral"]
const tokenSecondsMin = 600

export const validateCsiDriver = ({ spec = {} }: DriverDraft): FieldErrors => {
  const { tokenRequests = [], volumeLifecycleModes: modes = [] } = spec
  const audiences = tokenRequests.map(({ audience = "" }) => audience)
  return [
    ...validateOptionalOneOf(spec.fsGroupPolicy, fsGroupPolicies, "spec.fsGroupPolicy"),
    ...tokenRequests.flatMap(({ expirationSeconds: seconds }, index) => {
      const path = `spec.tokenRequests[${index}]`
      const audience = audiences[index] ?? ""
      if (audiences.indexOf(audience) < index) return [duplicateValue(`${path}.audience`, audience)]
      if (seconds === undefined) return []
      const rule =
        seconds < tokenSecondsMin
          ? "may not specify a duration less than 10 minutes"
          : seconds > 2 ** 32
            ? "may not specify a duration larger than 2^32 seconds"
            : undefined
      return rule === undefined ? [] : [invalidField(`${path}.expirationSeconds`, seconds, rule)]
    }),
    ...modes.flatMap((mode) =>
      lifecycleModes.includes(mode)
        ? []
        : [unsupportedValue("spec.volumeLifecycleModes", mode, lifecycleModes)]
    )
  ]
}

export const validateCsiDriverUpdate = (
  driver: DriverDraft,
  { spec: old = {} }: DriverDraft
): FieldErrors => {
  const { spec = {} } = driver
  return [
    ...validateCsiDriver(driver),
    // As in Kubernetes, the path differs from the field `attachRequired`.
    ...validateUnchanged(spec.attachRequired ?? true, old.attachRequired ?? true, "spec.attachedRequired"),
    ...validateUnchangedFields(spec, old, {
      path: "spec",
      fields: ["volumeLifecycleModes"]
    })
  ]
}

interface CsiNodeDraft extends Draft {
  readonly spec?: DeepPartial<Storage.CSINodeSpec>
}

const nodeIdLengthMax = 256

export const validateCsiNode = ({ spec = {} }: CsiNodeDraft): FieldErrors => {
  const drivers = spec.drivers ?? []
  const names = drivers.map(({ name }) => name)
  return drivers.flatMap(({ name, nodeID = "", allocatable, topologyKeys }, index) => {
    const path = `spec.drivers[${index}]`
    return [
      ...validateDriverName(name, `${path}.name`),
      ...(nodeID === "" ? [requiredValue(`${path}.nodeID`)] : noErrors),
      ...(nodeID.length > nodeIdLengthMax
        ? [invalidField(`${path}.nodeID`, nodeID, `must be ${nodeIdLengthMax} characters or less`)]
        : noErrors),
      ...validateNonNegative(`${path}.allocatable.count`, allocatable?.count),
      ...(names.indexOf(name) < index ? [duplicateValue(`${path}.name`, name)] : noErrors),
      ...(topologyKeys ?? []).flatMap((key) => validateNameBy(qualifiedNameProblems, key, path))
    ]
  })
}

/** Only `allocatable` of a driver's entry can change. */
export const validateCsiNodeUpdate = (node: CsiNodeDraft, { spec: old = {} }: CsiNodeDraft): FieldErrors => [
  ...validateCsiNode(node),
  ...(old.drivers ?? []).flatMap((before) => {
    const driver = node.spec?.drivers?.find(({ name }) => name === before.name)
    return driver === undefined || isUnchanged({ ...driver, allocatable: before.allocatable }, before)
      ? []
      : [invalidField("CSINodeDriver", driver, "field is immutable")]
  })
]
