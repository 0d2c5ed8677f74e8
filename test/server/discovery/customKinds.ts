import { allResourceVerbs, type Kind } from "../../../src/kubernetes/meta/kinds.ts"

const cronTabKind = { group: "stable.example.com", version: "v1", kind: "CronTab" }

export const customKind: Kind = {
  ...cronTabKind,
  plural: "crontabs",
  singular: "crontab",
  namespaced: true,
  shortNames: ["ct"],
  categories: ["all"],
  verbs: allResourceVerbs,
  subresources: [
    { ...cronTabKind, name: "status", verbs: ["get", "patch", "update"] },
    { group: "autoscaling", version: "v1", kind: "Scale", name: "scale", verbs: ["get", "patch", "update"] }
  ]
}

export const inVersion = (kind: Kind, version: string): Kind => ({ ...kind, version })
