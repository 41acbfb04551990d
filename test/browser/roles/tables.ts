/** Eight tables of the BEAVER collection (peterbaile/beaver, MIT), as its documents: title and text. */
export const tables: readonly { readonly title: string; readonly text: string }[] = [
  {
    title: 'aggregates',
    text: 'database csail_stata_nova; table aggregates; columns: created_at datetime DEFAULT NULL, updated_at datetime DEFAULT NULL, deleted_at datetime DEFAULT NULL, id int NOT NULL AUTO_INCREMENT, name varchar(255) DEFAULT NULL, deleted int DEFAULT NULL, uuid varchar(36) DEFAULT NULL; primary key: id',
  },
  {
    title: 'shadow_bw_usage_cache',
    text: 'database csail_stata_nova; table shadow_bw_usage_cache; columns: created_at datetime DEFAULT NULL, updated_at datetime DEFAULT NULL, deleted_at datetime DEFAULT NULL, id int NOT NULL AUTO_INCREMENT, start_period datetime NOT NULL, last_refreshed datetime DEFAULT NULL, bw_in bigint DEFAULT NULL, bw_out bigint DEFAULT NULL, mac varchar(255) DEFAULT NULL, uuid varchar(36) DEFAULT NULL, last_ctr_in bigint DEFAULT NULL, last_ctr_out bigint DEFAULT NULL, deleted int DEFAULT NULL; primary key: id',
  },
  {
    title: 'virtual_interfaces',
    text: 'database csail_stata_nova; table virtual_interfaces; columns: created_at datetime DEFAULT NULL, updated_at datetime DEFAULT NULL, deleted_at datetime DEFAULT NULL, id int NOT NULL AUTO_INCREMENT, address varchar(255) DEFAULT NULL, network_id int DEFAULT NULL, uuid varchar(36) DEFAULT NULL, instance_uuid varchar(36) DEFAULT NULL, deleted int DEFAULT NULL; primary key: id; foreign keys: instance_uuid -> instances.uuid',
  },
  {
    title: 'cisco_ml2_n1kv_vxlan_allocations',
    text: 'database csail_stata_neutron; table cisco_ml2_n1kv_vxlan_allocations; columns: vxlan_id int NOT NULL, allocated tinyint(1) NOT NULL, network_profile_id varchar(36) COLLATE utf8mb3_unicode_ci NOT NULL; primary key: vxlan_id; foreign keys: network_profile_id -> cisco_ml2_n1kv_network_profiles.id',
  },
  {
    title: 'ml2_port_bindings',
    text: "database csail_stata_neutron; table ml2_port_bindings; columns: port_id varchar(36) COLLATE utf8mb3_unicode_ci NOT NULL, host varchar(255) COLLATE utf8mb3_unicode_ci NOT NULL DEFAULT '', vif_type varchar(64) COLLATE utf8mb3_unicode_ci NOT NULL, vnic_type varchar(64) COLLATE utf8mb3_unicode_ci NOT NULL DEFAULT 'normal', vif_details varchar(4095) COLLATE utf8mb3_unicode_ci NOT NULL DEFAULT '', profile varchar(4095) COLLATE utf8mb3_unicode_ci NOT NULL DEFAULT ''; primary key: port_id; foreign keys: port_id -> ports.id",
  },
  {
    title: 'portdnses',
    text: 'database csail_stata_neutron; table portdnses; columns: port_id varchar(36) COLLATE utf8mb3_unicode_ci NOT NULL, current_dns_name varchar(255) COLLATE utf8mb3_unicode_ci NOT NULL, current_dns_domain varchar(255) COLLATE utf8mb3_unicode_ci NOT NULL, previous_dns_name varchar(255) COLLATE utf8mb3_unicode_ci NOT NULL, previous_dns_domain varchar(255) COLLATE utf8mb3_unicode_ci NOT NULL; primary key: port_id; foreign keys: port_id -> ports.id',
  },
  {
    title: 'transfers',
    text: 'database csail_stata_cinder; table transfers; columns: created_at datetime DEFAULT NULL, updated_at datetime DEFAULT NULL, deleted_at datetime DEFAULT NULL, deleted tinyint(1) DEFAULT NULL, id varchar(36) NOT NULL, volume_id varchar(36) NOT NULL, display_name varchar(255) DEFAULT NULL, salt varchar(255) DEFAULT NULL, crypt_hash varchar(255) DEFAULT NULL, expires_at datetime DEFAULT NULL; primary key: id; foreign keys: volume_id -> volumes.id',
  },
  {
    title: 'FAC_FLOOR',
    text: 'database dw; table FAC_FLOOR; columns: BUILDING_KEY DATE, FLOOR VARCHAR2, FLOOR_KEY VARCHAR2, EXT_GROSS_AREA VARCHAR2, ASSIGNABLE_AREA NUMBER, NON_ASSIGNABLE_AREA NUMBER, FLOOR_SORT_SEQUENCE NUMBER, LEVEL_ID VARCHAR2, BUILDING_WINGS_ID VARCHAR2, ACCESS_LEVEL VARCHAR2, WAREHOUSE_LOAD_DATE VARCHAR2',
  },
];
