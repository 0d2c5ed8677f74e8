import { describe, expect, it } from "vitest"
import { charthouse, deploymentYaml } from "../harness/charthouse.ts"

const claim = (storage: string, className?: string) =>
  `{ apiVersion: v1, kind: PersistentVolumeClaim, metadata: { name: data }, spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: ${storage} } }${className === undefined ? "" : `, storageClassName: ${className}`} } }`
const storageClass = (fields: string) =>
  `{ apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: { name: fast }, provisioner: rancher.io/local-path, volumeBindingMode: WaitForFirstConsumer${fields} }`
const claiming = deploymentYaml({
  replicas: 1,
  image: "app:1",
  more: "      volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }]"
})
const growingClass = storageClass(", allowVolumeExpansion: true")
const idle = claiming.replaceAll("web", "idle").replace("replicas: 1", "replicas: 0")
const other = deploymentYaml({ replicas: 1, image: "app:1" })
const ofReplica = (manifest: string): string => manifest.replace("name: data", "name: data-db-0")
const statefulSet = `${other.replaceAll("web", "db").replace("Deployment", "StatefulSet")}
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } }, storageClassName: fast }`
const refusal = (message: string): string => `✗ refused PersistentVolumeClaim/data ${message}`
const forbidden = (rule: string): string =>
  refusal(`Error from server (Forbidden): persistentvolumeclaims "data" is forbidden: ${rule}`)
const mayNotGrow =
  "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize"

describe("a claim that changes its size", () => {
  it.each([
    {
      why: "grows in a class that lets claims grow",
      from: [growingClass, claim("1Gi", "fast"), claiming],
      next: [claim("2Gi", "fast"), claiming]
    },
    {
      why: "may not grow in a class that does not say so",
      from: [storageClass(""), claim("1Gi", "fast"), claiming],
      next: [claim("2Gi", "fast"), claiming],
      refused: forbidden(mayNotGrow)
    },
    {
      why: "may not grow in the class of every cluster",
      from: [claim("1Gi"), claiming],
      next: [claim("2Gi"), claiming],
      refused: forbidden(mayNotGrow)
    },
    {
      why: "grows in a class that no file creates, with a warning",
      from: [claim("1Gi", "gp3"), claiming],
      next: [claim("2Gi", "gp3"), claiming],
      warning:
        "warning: PersistentVolumeClaim/data grows, and no file creates StorageClass/gp3: it is assumed to let claims grow"
    },
    {
      why: "may not shrink below its volume",
      from: [claim("2Gi", "gp3"), claiming],
      next: [claim("1Gi", "gp3"), claiming],
      refused: refusal(
        'The PersistentVolumeClaim "data" is invalid: spec.resources.requests.storage: Forbidden: field can not be less than status.capacity'
      )
    },
    {
      why: "grows if it is of a StatefulSet's replica",
      from: [growingClass, ofReplica(claim("1Gi", "fast")), other, statefulSet],
      next: [ofReplica(claim("2Gi", "fast")), other]
    },
    {
      why: "grows if it has a volume, although no Pod of its user runs",
      from: [claim("1Gi", "gp3"), other, idle],
      next: [claim("2Gi", "gp3"), other, idle],
      warning:
        "warning: PersistentVolumeClaim/data grows, and no file creates StorageClass/gp3: it is assumed to let claims grow"
    },
    {
      why: "may not grow if no Pod of its user runs, for which its class waits",
      from: [growingClass, claim("1Gi", "fast"), other, idle],
      next: [claim("2Gi", "fast"), other, idle],
      refused: expect.stringContaining("spec is immutable after creation except resources.requests")
    },
    {
      why: "may not grow before a Pod uses it and it is bound",
      from: [claim("1Gi"), claiming.replace("claimName: data", "claimName: other")],
      next: [claim("2Gi"), claiming.replace("claimName: data", "claimName: other")],
      refused: expect.stringContaining(
        "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
      )
    }
  ])("$why", async ({ from, next, refused, warning }) => {
    const files = { "before.yaml": from.join("\n---\n"), "next.yaml": next.join("\n---\n") }
    const args = ["plan", "--from", "before.yaml", "-f", "next.yaml", "--seeds", "1", "--what-if", "none"]
    const { stdout, stderr } = await charthouse(args, files)
    const rows = stdout.split("\n").flatMap((line) => /^✗ refused  .*/u.exec(line)?.[0] ?? [])
    expect(rows.map((row) => row.replace(/ +/gu, " "))).toEqual(refused === undefined ? [] : [refused])
    expect(stdout).toMatch(/^✓ ships +Deployment\/web/mu)
    expect(stderr.split("\n").filter((line) => line.includes("grows"))).toEqual(
      warning === undefined ? [] : [warning]
    )
  })
})
