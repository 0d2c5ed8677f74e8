/** What every plan takes for granted, whatever the workload. */
export const planAssumptions: ReadonlyArray<string> = [
  "images exist and can be pulled",
  "the network lets through what is sent",
  "Pods start and become ready as --assume and --behaviour say"
]
