import { expect, it } from "vitest"
import { readManifests } from "../../../src/manifests/readManifests.ts"
import { staleConfigWarnings } from "../../../src/plan/warnings/staleConfig.ts"
import { objectText } from "../verdicts/mistakenManifests.ts"

const config = (value: string, key = "a") =>
  objectText("v1", "ConfigMap", "c", `data: { ${key}: "${value}", z: "1" }`)
const secret = (fields: string) => objectText("v1", "Secret", "s", fields)

const workload = (container: string, { kind = "Deployment", volumes = "" } = {}) =>
  objectText(
    "apps/v1",
    kind,
    "web",
    `spec: { selector: { matchLabels: { app: web } }, template: { metadata: { labels: { app: web } }, spec: { ${volumes} containers: [{ name: app, image: "web:1", ${container} }] } } }`
  )

const ofConfig = "envFrom: [{ configMapRef: { name: c } }]"
const ofKey = "env: [{ name: A, valueFrom: { configMapKeyRef: { name: c, key: a } } }]"
const ofSecret = "env: [{ name: A, valueFrom: { secretKeyRef: { name: s, key: a } } }]"
const volumes = "volumes: [{ name: v, configMap: { name: c } }],"
const mounted = "volumeMounts: [{ name: v, mountPath: /c }]"
const mountedFile = "volumeMounts: [{ name: v, mountPath: /c/a, subPath: a }]"
const warning = (title: string, kind = "Deployment") =>
  `${title} changes, and the template of ${kind}/web does not: its Pods keep the values that they read when they started. Afterwards: kubectl rollout restart ${kind.toLowerCase()}/web`

interface Row {
  readonly why: string
  readonly from: ReadonlyArray<string>
  readonly next: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
}

it.each<Row>([
  {
    why: "variables of a whole ConfigMap",
    from: [workload(ofConfig), config("1")],
    next: [workload(ofConfig), config("2")],
    warnings: [warning("ConfigMap/c")]
  },
  {
    why: "a variable of the key that changes, in a StatefulSet",
    from: [workload(ofKey, { kind: "StatefulSet" }), config("1")],
    next: [workload(ofKey, { kind: "StatefulSet" }), config("2")],
    warnings: [warning("ConfigMap/c", "StatefulSet")]
  },
  {
    why: "not of a key that stays as it is",
    from: [workload(ofKey), config("1", "b")],
    next: [workload(ofKey), config("2", "b")],
    warnings: []
  },
  {
    why: "a file that is mounted by itself",
    from: [workload(mountedFile, { volumes }), config("1")],
    next: [workload(mountedFile, { volumes }), config("2")],
    warnings: [warning("ConfigMap/c")]
  },
  {
    why: "not a volume, whose files follow the ConfigMap",
    from: [workload(mounted, { volumes }), config("1")],
    next: [workload(mounted, { volumes }), config("2")],
    warnings: []
  },
  {
    why: "not with another template, whose Pods read the new values",
    from: [workload(ofConfig), config("1")],
    next: [workload(ofConfig).replace("web:1", "web:2"), config("2")],
    warnings: []
  },
  {
    why: "not a Secret that is only written in another way",
    from: [workload(ofSecret), secret("data: { a: eA== }")],
    next: [workload(ofSecret), secret("stringData: { a: x }")],
    warnings: []
  },
  {
    why: "a Secret with another value",
    from: [workload(ofSecret), secret("data: { a: eA== }")],
    next: [workload(ofSecret), secret("stringData: { a: other }")],
    warnings: [warning("Secret/s")]
  }
])("warns of configuration that running Pods do not read again: $why", ({ from, next, warnings }) => {
  expect(staleConfigWarnings(documentsOf(from), documentsOf(next))).toEqual(warnings)
})

const documentsOf = (texts: ReadonlyArray<string>) =>
  readManifests([{ name: "all.yaml", text: texts.join("\n---\n") }], { strict: true }).documents
