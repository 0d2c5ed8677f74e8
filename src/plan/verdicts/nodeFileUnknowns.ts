import { allContainersOf, draftPodSpec } from "../draftPodSpec.ts"
import { containerPath } from "../../kubernetes/pods/containers/containers.ts"
import { imagesOfDocument } from "./containerRisks.ts"
import { mountedVolumesOf } from "../mountedVolumes.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Draft, PodSpec } from "../../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { Unknown } from "./unknownKinds.ts"

/** Files, devices and profiles without which a node's kubelet starts no container. */
export const nodeFileUnknowns = (
  spec: Partial<PodSpec>,
  { from }: { readonly from: ReadonlyArray<ManifestDocument> }
): ReadonlyArray<Unknown> => {
  const before = new Set(from.flatMap(({ draft }) => nodeFilesOfDraft(draft)))
  const files = nodeFilesOf(spec).filter((file) => !before.has(file))
  return files.length === 0
    ? []
    : [
        {
          kind: "NodeFile",
          text: `its Pods need what not every node has: ${[...new Set(files)].join(", ")}`,
          keepsPending: false
        }
      ]
}

/** With `imagePullPolicy: Never`, a node must have the image. */
export const unpulledImageUnknowns = (
  spec: Partial<PodSpec>,
  { from }: { readonly from: ReadonlyArray<ManifestDocument> }
): ReadonlyArray<Unknown> => {
  const imagesBefore = new Set(from.flatMap((document) => [...imagesOfDocument(document)]))
  return allContainersOf(spec)
    .filter(({ imagePullPolicy, image }) => imagePullPolicy === "Never" && !imagesBefore.has(image))
    .map(({ name, image = "" }) => ({
      kind: "NodeFile",
      rule: "image-not-pulled",
      text: `container "${name}" needs ${image} on its nodes already: its imagePullPolicy is Never`,
      field: ["spec", "template", "spec", ...containerPath(spec, name), "imagePullPolicy"],
      keepsPending: false
    }))
}

const nodeFilesOfDraft = (draft: Draft): ReadonlyArray<string> => nodeFilesOf(draftPodSpec(draft) ?? {})

const nodeFilesOf = (spec: Partial<PodSpec>): ReadonlyArray<string> => [
  ...mountedVolumesOf(spec).flatMap(({ hostPath }) => (hostPath === undefined ? [] : hostPathText(hostPath))),
  ...[spec, ...allContainersOf(spec)].flatMap(({ securityContext }) => profilesIn(securityContext))
]

/** Source: pkg/volume/hostpath/host_path.go (checkTypeInternal). */
const hostPathText = ({ path, type = "" }: Core.HostPathVolumeSource): ReadonlyArray<string> => {
  const name = typeNames.get(type)
  return name === undefined || isOnEveryNode(type, path) ? [] : [`${name} ${path}`]
}

const typeNames: ReadonlyMap<string, string> = new Map([
  ["Directory", "directory"],
  ["File", "file"],
  ["Socket", "socket"],
  ["CharDevice", "character device"],
  ["BlockDevice", "block device"]
])

const isOnEveryNode = (type: string, path: string): boolean => {
  const plainPath = path.length > 1 ? path.replace(/\/+$/u, "") : path
  const isBelow = ["/lib/", "/proc/", "/sys/", "/usr/"].some((directory) => plainPath.startsWith(directory))
  return isBelow || (commonPaths[type] ?? []).includes(plainPath)
}

const linesOf = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/u)

/** Paths of every Linux node with a kubelet and containerd. */
const commonPaths: Readonly<Record<string, ReadonlyArray<string>>> = {
  Directory: linesOf(`
    / /bin /boot /dev /etc /home /lib /lib64 /media /mnt /opt /proc /root /run /sbin /srv /sys /tmp /usr /var
    /dev/mapper /dev/pts /dev/shm /etc/cni /etc/cni/net.d /etc/kubernetes /etc/kubernetes/manifests /etc/ssl
    /etc/ssl/certs /etc/systemd /opt/cni /opt/cni/bin /run/containerd /run/systemd /run/udev /var/cache /var/lib
    /var/lib/containerd /var/lib/kubelet /var/lib/kubelet/device-plugins /var/lib/kubelet/plugins
    /var/lib/kubelet/plugins_registry /var/lib/kubelet/pods /var/log /var/log/containers /var/log/pods /var/run
    /var/run/containerd /var/tmp`),
  File: linesOf(`
    /etc/group /etc/hostname /etc/hosts /etc/localtime /etc/machine-id /etc/os-release /etc/passwd
    /etc/resolv.conf /var/lib/kubelet/config.yaml`),
  Socket: linesOf("/run/containerd/containerd.sock /var/run/containerd/containerd.sock"),
  CharDevice: linesOf(`
    /dev/full /dev/fuse /dev/kmsg /dev/net/tun /dev/null /dev/random /dev/tty /dev/urandom /dev/zero`)
}

interface SecurityProfiles {
  readonly seccompProfile?: Core.SeccompProfile | undefined
  readonly appArmorProfile?: { readonly type: string; readonly localhostProfile?: string } | undefined
}

const profilesIn = ({ seccompProfile, appArmorProfile }: SecurityProfiles = {}): ReadonlyArray<string> => [
  ...(seccompProfile?.type === "Localhost"
    ? [`seccomp profile ${seccompProfile.localhostProfile ?? ""}`]
    : []),
  ...(appArmorProfile?.type === "Localhost"
    ? [`AppArmor profile ${appArmorProfile.localhostProfile ?? ""}`]
    : [])
]
