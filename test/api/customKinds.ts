import { allResourceVerbs, type Kind } from "../../src/kubernetes/meta/kinds.ts"

const own = { group: "stable.example.com", version: "v1", kind: "CronTab" }

/** A kind that nobody knew when this was built. */
export const cronTabs: Kind = {
  ...own,
  plural: "crontabs",
  singular: "crontab",
  namespaced: true,
  shortNames: ["ct"],
  categories: ["all"],
  verbs: allResourceVerbs,
  subresources: [
    { ...own, name: "status", verbs: ["get", "patch", "update"] },
    { group: "autoscaling", version: "v1", kind: "Scale", name: "scale", verbs: ["get", "patch", "update"] }
  ]
}

export const inVersion = (kind: Kind, version: string): Kind => ({ ...kind, version })
