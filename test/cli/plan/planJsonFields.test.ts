import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { inProcess } from "../harness/inProcess.ts"

const folder = mkdtempSync(join(tmpdir(), "charthouse-fields-"))
afterAll(() => rmSync(folder, { recursive: true }))

const deployment = (name: string, replicas: number, podSpec: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { ${podSpec} }
`

/** Each rollout has something that adds fields to the plan: lost requests, a quota, an unknown scheduler, a StatefulSet. */
const manifests = (image: string): string => `
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
---
apiVersion: v1
kind: ResourceQuota
metadata: { name: few }
spec: { hard: { pods: "12" } }
---
${deployment("web", 3, `containers: [{ name: web, image: "${image}", ports: [{ containerPort: 8080 }] }]`)}
---
${deployment("batch", 1, `schedulerName: volcano, containers: [{ name: batch, image: "${image}" }]`)}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: db }
spec:
  serviceName: db
  selector: { matchLabels: { app: db } }
  template:
    metadata: { labels: { app: db } }
    spec: { containers: [{ name: db, image: "${image}" }] }
`

/** The paths of all fields, each once: what a program may read. */
const fieldPaths = (value: unknown, path: string, found: Set<string>): Set<string> => {
  if (Array.isArray(value)) for (const item of value) fieldPaths(item, `${path}[]`, found)
  else if (typeof value === "object" && value !== null) {
    for (const [field, inner] of Object.entries(value)) {
      const fieldPath = path === "" ? field : `${path}.${field}`
      found.add(fieldPath)
      fieldPaths(inner, fieldPath, found)
    }
  }
  return found
}

it("prints JSON whose fields keep their names, since programs read them", async () => {
  const [from, next] = ["v1", "v2"].map((version) => {
    const file = join(folder, `${version}.yaml`)
    writeFileSync(file, manifests(`app:${version}`))
    return file
  })
  const args = ["plan", "-f", next ?? "", "--from", from ?? "", "--seeds", "2", "--fail-on", "available<100%"]
  const { stdout } = await inProcess([...args, "-o", "json"])
  const paths = [...fieldPaths(JSON.parse(stdout), "", new Set())].sort()
  await expect(`${paths.join("\n")}\n`).toMatchFileSnapshot("planJsonFields.txt")
})
