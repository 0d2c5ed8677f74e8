import { aPod } from "../../builders.ts"
import type {
  CustomResourceDefinition,
  DefinitionSpec,
  DefinitionVersion
} from "../../../src/kubernetes/customResources/definitions.ts"

export const aVersion = (more: Partial<DefinitionVersion> = {}): DefinitionVersion => ({
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: "object" } },
  ...more
})

export const cronTabNames = {
  plural: "crontabs",
  singular: "crontab",
  kind: "CronTab",
  listKind: "CronTabList"
}

export const aSpec = (more: Partial<DefinitionSpec> = {}): DefinitionSpec => ({
  group: "stable.example.com",
  scope: "Namespaced",
  names: cronTabNames,
  versions: [aVersion()],
  conversion: { strategy: "None" },
  ...more
})

export const aDefinition = (
  spec: Partial<DefinitionSpec> = {},
  status: CustomResourceDefinition["status"] = {
    conditions: [{ type: "Established", status: "True" }],
    acceptedNames: spec.names ?? cronTabNames,
    storedVersions: ["v1"]
  }
): CustomResourceDefinition => {
  const { namespace: _namespace, ...metadata } = aPod({ name: "crontabs.stable.example.com" }).metadata
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata,
    spec: aSpec(spec),
    status
  }
}
