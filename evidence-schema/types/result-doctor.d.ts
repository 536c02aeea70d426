// Written from the schema of the same name: npm run schemas.

/** what packproof doctor --json says */
export type ResultDoctor = {
  readonly formatVersion: 1;
  readonly result: "passed" | "error";
  readonly exitCode: number;
  readonly machine: {
    readonly node: string;
    readonly platform: string;
    readonly uid: ResultDoctorCount | null;
  };
  readonly engines: readonly ({
    readonly name: "docker" | "runc";
    readonly state: "usable" | "absent" | "refused";
    readonly detail: string;
    readonly mend: string | null;
  })[];
  readonly bases: readonly ({
    readonly kind: "debian" | "rootfs" | "image";
    readonly state: "usable" | "absent";
    readonly detail: string;
  })[];
  readonly folders: {
    readonly cache: string;
    readonly state: string;
  };
};

export type ResultDoctorCount = number;
