/** The error of a system call in words: `permission denied` for EACCES. */
export const systemErrorText = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  return textByCode[code] ?? (error instanceof Error ? error.message : String(error))
}

const textByCode: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  EISDIR: "it is a folder",
  ENOENT: "there is no such place",
  ENOTDIR: "its folder is a file",
  ELOOP: "its links go round in a circle",
  ENAMETOOLONG: "the name is too long",
  ENOSPC: "no space is left",
  EDQUOT: "the quota of the disk is used up",
  EFBIG: "no file may be so large here",
  EBUSY: "it is in use",
  EADDRINUSE: "the port is in use",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "there is no such host"
}
