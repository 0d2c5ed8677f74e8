import type * as Core from "kubernetes-types/core/v1.js"
import {
  invalidField,
  noErrors,
  requiredValue,
  validateOptionalOneOf,
  valueTooLong,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import { labelProblems, subdomainProblems } from "../../../validation/nameRules.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { validateNameBy, validateRequiredName } from "../../../validation/validateNames.ts"

/**
 * Unlike Kubernetes, sources of the former in-tree drivers are not checked. Source:
 * pkg/apis/core/validation/validation.go (ValidateCSIDriverName).
 */
export const volumeSourceNames = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi"
] as const

export type VolumeSourceName = (typeof volumeSourceNames)[number]
export type VolumeSources = Pick<DeepPartial<Core.PersistentVolumeSpec>, VolumeSourceName>

export const validateVolumeSource = (
  name: VolumeSourceName,
  { hostPath = {}, nfs = {}, local = {}, csi = {} }: VolumeSources,
  path: string
): FieldErrors => {
  switch (name) {
    case "hostPath":
      return [
        ...validatePathWithoutParents(hostPath.path, `${path}.path`),
        ...validateOptionalOneOf(hostPath.type, hostPathTypes, `${path}.type`)
      ]
    case "nfs":
      return validateNfs(nfs, path)
    case "local":
      return validatePathWithoutParents(local.path, `${path}.path`)
    case "csi":
      return validateCsi(csi, path)
    default:
      return noErrors
  }
}

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket"
]

const validatePathWithoutParents = (text: string | undefined, path: string): FieldErrors =>
  text === undefined || text === ""
    ? [requiredValue(path)]
    : text.split("/").includes("..")
      ? [invalidField(path, text, "must not contain '..'")]
      : noErrors

const validateNfs = (
  { server = "", path: folder = "" }: DeepPartial<Core.NFSVolumeSource>,
  path: string
): FieldErrors => [
  ...(server === "" ? [requiredValue(`${path}.server`)] : noErrors),
  ...(folder === "" ? [requiredValue(`${path}.path`)] : noErrors),
  ...(folder.startsWith("/") ? noErrors : [invalidField(`${path}.path`, folder, "must be an absolute path")])
]

const driverLengthMax = 63

/** The name of a driver may have upper and lower case. */
export const validateDriverName = (name = "", path: string): FieldErrors => [
  ...(name === "" ? [requiredValue(path)] : noErrors),
  ...(name.length > driverLengthMax ? [valueTooLong(path, driverLengthMax)] : noErrors),
  ...subdomainProblems(name.toLowerCase()).map((problem) => invalidField(path, name, problem))
]

const secretFields = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef"
] as const

const validateCsi = (csi: DeepPartial<Core.CSIPersistentVolumeSource>, path: string): FieldErrors => [
  ...validateDriverName(csi.driver, `${path}.driver`),
  ...((csi.volumeHandle ?? "") === "" ? [requiredValue(`${path}.volumeHandle`)] : noErrors),
  ...secretFields.flatMap((name) => {
    const secret = csi[name]
    if (secret === undefined) return []
    return [
      ...validateRequiredName(subdomainProblems, secret.name, { path: `${path}.${name}.name` }),
      ...((secret.namespace ?? "") === ""
        ? [requiredValue(`${path}.${name}.namespace`)]
        : validateNameBy(labelProblems, secret.namespace, `${path}.${name}.namespace`))
    ]
  })
]
