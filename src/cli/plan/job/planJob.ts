import { stringify } from "yaml"
import type { MountedFile } from "./mountedFiles.ts"

export interface IndexedPlanJob {
  readonly name: string
  readonly image: string
  readonly completions: number
  /** The plan's flags, with the files as they are mounted. */
  readonly flags: ReadonlyArray<string>
  readonly configMaps: ReadonlyArray<ReadonlyArray<MountedFile>>
}

const folder = "/plan"

/**
 * An Indexed Job that plays a plan, and the ConfigMaps with its files, as YAML. Each Pod prints its runs: most
 * clusters have no volume that several nodes can write.
 */
export const planJobManifests = (job: IndexedPlanJob): string =>
  [...job.configMaps.map((files, index) => configMapOf(job, files, index)), jobOf(job)]
    .map((object) => stringify(object, { lineWidth: 0 }))
    .join("---\n")

const labels = { "app.kubernetes.io/name": "charthouse-plan" }

const configMapName = ({ name }: IndexedPlanJob, index: number): string => `${name}-${index + 1}`

const configMapOf = (job: IndexedPlanJob, files: ReadonlyArray<MountedFile>, index: number): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: configMapName(job, index), labels },
  data: Object.fromEntries(files.map(({ key, text }) => [key, text]))
})

const jobOf = (job: IndexedPlanJob): object => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: job.name, labels },
  spec: {
    completionMode: "Indexed",
    completions: job.completions,
    parallelism: job.completions,
    template: {
      metadata: { labels },
      spec: {
        // A Pod that failed keeps its log.
        restartPolicy: "Never",
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } },
        containers: [
          {
            name: "plan",
            image: job.image,
            workingDir: folder,
            // Kubernetes tells the Pod its index.
            args: ["plan", ...job.flags, "--shard", String(job.completions), "--runs", "-"],
            resources: { requests: { cpu: "1", memory: "512Mi" }, limits: { memory: "2Gi" } },
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ["ALL"] }
            },
            volumeMounts: [{ name: "files", mountPath: folder, readOnly: true }]
          }
        ],
        volumes: [
          {
            name: "files",
            projected: {
              sources: job.configMaps.map((files, index) => ({
                configMap: {
                  name: configMapName(job, index),
                  items: files.map(({ key, path }) => ({ key, path }))
                }
              }))
            }
          }
        ]
      }
    }
  }
})
