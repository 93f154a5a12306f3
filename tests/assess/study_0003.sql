BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0003');
CREATE TABLE aspect (
	id INTEGER NOT NULL, 
	topic INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	description TEXT NOT NULL, 
	labels JSON NOT NULL, 
	grades JSON NOT NULL, 
	CONSTRAINT pk_aspect PRIMARY KEY (id), 
	CONSTRAINT fk_aspect_topic FOREIGN KEY(topic) REFERENCES topic (id), 
	CONSTRAINT uq_aspect_topic_name UNIQUE (topic, name)
);
CREATE TABLE assessor (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	worker TEXT, 
	created TEXT NOT NULL, 
	consented TEXT, 
	CONSTRAINT pk_assessor PRIMARY KEY (id), 
	CONSTRAINT uq_assessor_name UNIQUE (name), 
	CONSTRAINT uq_assessor_worker UNIQUE (worker)
);
INSERT INTO "assessor" VALUES(1,'ann',NULL,'2026-11-17T20:57:40.485+00:00','2026-11-17T20:57:40.624+00:00');
INSERT INTO "assessor" VALUES(2,'ben',NULL,'2026-11-17T20:57:40.485+00:00','2026-11-17T20:57:40.719+00:00');
CREATE TABLE document (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	title TEXT NOT NULL, 
	url TEXT NOT NULL, 
	type TEXT NOT NULL, 
	text TEXT NOT NULL, cleaned TEXT, cleaner TEXT, 
	CONSTRAINT pk_document PRIMARY KEY (id), 
	CONSTRAINT uq_document_name UNIQUE (name)
);
INSERT INTO "document" VALUES(1,'1-d1','1-d1','https://example.org/d1','text','Text of d1.
Text of d1.
Text o','<div class="plain">Text of d1.
Text of d','1, nh3 0.3.7, markdown-it-py 4.3.0');
INSERT INTO "document" VALUES(2,'1-d2','1-d2','https://example.org/d2','text','Text of d2.
Text of d2.
Text o','<div class="plain">Text of d2.
Text of d','1, nh3 0.3.7, markdown-it-py 4.3.0');
INSERT INTO "document" VALUES(3,'1-d3','1-d3','https://example.org/d3','text','Text of d3.
Text of d3.
Text o','<div class="plain">Text of d3.
Text of d','1, nh3 0.3.7, markdown-it-py 4.3.0');
INSERT INTO "document" VALUES(4,'1-d4','1-d4','https://example.org/d4','text','Text of d4.
Text of d4.
Text o','<div class="plain">Text of d4.
Text of d','1, nh3 0.3.7, markdown-it-py 4.3.0');
INSERT INTO "document" VALUES(5,'1-d5','1-d5','https://example.org/d5','text','Text of d5.
Text of d5.
Text o','<div class="plain">Text of d5.
Text of d','1, nh3 0.3.7, markdown-it-py 4.3.0');
CREATE TABLE judgment (
	id INTEGER NOT NULL, 
	place INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	task INTEGER NOT NULL, 
	assessor INTEGER NOT NULL, 
	answer TEXT NOT NULL, 
	grades JSON, 
	comment TEXT NOT NULL, 
	time TEXT NOT NULL, 
	seconds FLOAT, 
	withdrawn TEXT, 
	CONSTRAINT pk_judgment PRIMARY KEY (id), 
	CONSTRAINT fk_judgment_assessor FOREIGN KEY(assessor) REFERENCES assessor (id), 
	CONSTRAINT fk_judgment_place FOREIGN KEY(place) REFERENCES place (id), 
	CONSTRAINT fk_judgment_task FOREIGN KEY(task) REFERENCES task (id), 
	CONSTRAINT uq_judgment_place_attempt UNIQUE (place, attempt)
);
INSERT INTO "judgment" VALUES(1,1,1,1,1,'right','null','','2026-11-17T20:57:40.749+00:00',0.099,NULL);
INSERT INTO "judgment" VALUES(2,3,1,2,1,'left','null','','2026-11-17T20:57:40.766+00:00',0.02,NULL);
INSERT INTO "judgment" VALUES(3,21,1,11,1,'left','null','','2026-11-17T20:57:40.781+00:00',0.015,NULL);
INSERT INTO "judgment" VALUES(4,5,1,3,1,'left','null','','2026-11-17T20:57:40.795+00:00',0.014,NULL);
INSERT INTO "judgment" VALUES(5,7,1,4,1,'right','null','','2026-11-17T20:57:40.817+00:00',0.022,NULL);
INSERT INTO "judgment" VALUES(6,2,1,1,2,'right','null','','2026-11-17T20:57:40.865+00:00',0.136,NULL);
INSERT INTO "judgment" VALUES(7,4,1,2,2,'left','null','','2026-11-17T20:57:40.885+00:00',0.02,NULL);
INSERT INTO "judgment" VALUES(8,9,1,5,1,'tie','null','hard','2026-11-17T20:57:40.921+00:00',0.104,'2026-11-17T20:57:40.932+00:00');
CREATE TABLE place (
	id INTEGER NOT NULL, 
	task INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	swapped BOOLEAN NOT NULL, 
	assessor INTEGER, 
	attempt INTEGER NOT NULL, 
	leased FLOAT, 
	expires FLOAT, 
	done BOOLEAN NOT NULL, 
	CONSTRAINT pk_place PRIMARY KEY (id), 
	CONSTRAINT fk_place_assessor FOREIGN KEY(assessor) REFERENCES assessor (id), 
	CONSTRAINT fk_place_task FOREIGN KEY(task) REFERENCES task (id), 
	CONSTRAINT uq_place_task_assessor UNIQUE (task, assessor)
);
INSERT INTO "place" VALUES(1,1,1,1,1,1,1.79494906064737391468e+09,NULL,1);
INSERT INTO "place" VALUES(2,1,1,1,2,1,1.79494906072861981388e+09,NULL,1);
INSERT INTO "place" VALUES(3,2,2,0,1,1,1.79494906074607229237e+09,NULL,1);
INSERT INTO "place" VALUES(4,2,2,0,2,1,1.79494906086498570447e+09,NULL,1);
INSERT INTO "place" VALUES(5,3,3,0,1,1,1.79494906078116321559e+09,NULL,1);
INSERT INTO "place" VALUES(6,3,3,1,NULL,0,NULL,NULL,0);
INSERT INTO "place" VALUES(7,4,4,1,1,1,1794949060.79506,NULL,1);
INSERT INTO "place" VALUES(8,4,4,0,NULL,0,NULL,NULL,0);
INSERT INTO "place" VALUES(9,5,5,0,1,2,1.7949490609330766201e+09,1.79495086093307662012e+09,0);
INSERT INTO "place" VALUES(10,5,5,0,NULL,0,NULL,NULL,0);
INSERT INTO "place" VALUES(11,6,6,0,1,1,1.79494906092139029502e+09,1.79495086092139029504e+09,0);
INSERT INTO "place" VALUES(12,6,6,1,NULL,0,NULL,NULL,0);
INSERT INTO "place" VALUES(13,7,7,0,NULL,0,NULL,NULL,0);
INSERT INTO "place" VALUES(14,7,7,0,NULL,0,NULL,NULL,0);
INSERT INTO "place" VALUES(15,8,8,0,NULL,0,NULL,NULL,0);
INSERT INTO "place" VALUES(16,8,8,0,NULL,0,NULL,NULL,0);
INSERT INTO "place" VALUES(17,9,9,0,NULL,0,NULL,NULL,0);
INSERT INTO "place" VALUES(18,9,9,0,NULL,0,NULL,NULL,0);
INSERT INTO "place" VALUES(19,10,10,0,NULL,0,NULL,NULL,0);
INSERT INTO "place" VALUES(20,10,10,1,NULL,0,NULL,NULL,0);
INSERT INTO "place" VALUES(21,11,0,0,1,1,1.79494906076647233955e+09,NULL,1);
INSERT INTO "place" VALUES(22,11,0,1,2,1,1.79494906088530683518e+09,1.79495086088530683516e+09,0);
CREATE TABLE ranking (
	run TEXT NOT NULL, 
	topic INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	document INTEGER NOT NULL, 
	CONSTRAINT pk_ranking PRIMARY KEY (run, topic, rank), 
	CONSTRAINT fk_ranking_document FOREIGN KEY(document) REFERENCES document (id), 
	CONSTRAINT fk_ranking_topic FOREIGN KEY(topic) REFERENCES topic (id)
);
INSERT INTO "ranking" VALUES('fair',1,1,3);
INSERT INTO "ranking" VALUES('fair',1,2,2);
INSERT INTO "ranking" VALUES('good',1,1,1);
INSERT INTO "ranking" VALUES('good',1,2,2);
INSERT INTO "ranking" VALUES('poor',1,1,5);
INSERT INTO "ranking" VALUES('poor',1,2,4);
CREATE TABLE ranking_length (
	run TEXT NOT NULL, 
	topic INTEGER NOT NULL, 
	length INTEGER NOT NULL, 
	CONSTRAINT pk_ranking_length PRIMARY KEY (run, topic), 
	CONSTRAINT fk_ranking_length_topic FOREIGN KEY(topic) REFERENCES topic (id)
);
INSERT INTO "ranking_length" VALUES('fair',1,2);
INSERT INTO "ranking_length" VALUES('good',1,2);
INSERT INTO "ranking_length" VALUES('poor',1,2);
CREATE TABLE study (
	id INTEGER NOT NULL, 
	settings JSON NOT NULL, 
	provenance JSON NOT NULL, 
	secret TEXT NOT NULL, 
	created TEXT NOT NULL, 
	stopped TEXT, address TEXT, 
	CONSTRAINT pk_study PRIMARY KEY (id), 
	CONSTRAINT ck_study_one CHECK (id = 1)
);
INSERT INTO "study" VALUES(1,'{"name": "A study of yesterday", "ask": "pairs", "choice": "complete", "depth": 2, "budget": null, "overlap": 2, "quota": null, "lease": 1800, "gold_every": 4, "batch": 50, "settle": null, "measure": "nPrf(estimate=''pooled'')@2", "seed": 0, "crowd": false, "completion_code": null, "instructions": "Say which is **better**.\n", "consent": "Your answers, your comments and the time that you take are stored and used to evaluate search systems. You may stop at any time.\n"}','{"rankprism": "0.1.0", "runs": {"good": {"file": "good.run", "sha256": "b85ec631b5259508a2bf1d654230baac83b080fc6d139e385347ce0b310e0f7e"}, "fair": {"file": "fair.run", "sha256": "d990889d51e9e5520cc13160a3e5f7f69439d92a014bc5d963f5e03323350923"}, "poor": {"file": "poor.run", "sha256": "784315c475d4dda27829b6385b71de0f8a4289fc4b4846e98483eb5335a09e26"}}, "documents": {"file": "docs.jsonl", "sha256": "e470c059660f9747ce466dafd3e7ae45ea0df02f6056d088a3ee6e214bade2f6"}, "topics": {"file": "topics.tsv", "sha256": "a7db2476ddb848c6b5d79721dddfc797061e2297d62188b2151a993083e9dbb7"}, "order": "score", "duplicates": "error"}','15c6b9a3eb1eaf0f3e655a9686b46aaf139b5a1f1158ecb5b24f1230d9ed1b90','2026-11-17T20:57:40.475+00:00',NULL,NULL);
CREATE TABLE task (
	id INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	purpose TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	topic INTEGER NOT NULL, 
	given JSON NOT NULL, 
	first INTEGER NOT NULL, 
	second INTEGER, 
	expected JSON, 
	CONSTRAINT pk_task PRIMARY KEY (id), 
	CONSTRAINT fk_task_first FOREIGN KEY(first) REFERENCES document (id), 
	CONSTRAINT fk_task_second FOREIGN KEY(second) REFERENCES document (id), 
	CONSTRAINT fk_task_topic FOREIGN KEY(topic) REFERENCES topic (id), 
	CONSTRAINT uq_task_key UNIQUE ("key")
);
INSERT INTO "task" VALUES(1,'79cdc0c32348f3d298bbd0fb3dbb5bfc','study',1,1,'[]',1,4,NULL);
INSERT INTO "task" VALUES(2,'1eedb7480544046cd178eb1cca7bb548','study',2,1,'[]',1,5,NULL);
INSERT INTO "task" VALUES(3,'d00177d4a5b3118229bc70f7e372da7d','study',3,1,'[]',2,5,NULL);
INSERT INTO "task" VALUES(4,'3b59fd0d982b68f2be76ba9e49a00aa4','study',4,1,'[]',2,3,NULL);
INSERT INTO "task" VALUES(5,'af310154f35b1409a7eb6b6fe40efa7b','study',5,1,'[]',2,4,NULL);
INSERT INTO "task" VALUES(6,'7b463370c4fd812a414cd2dbfe008925','study',6,1,'[]',4,5,NULL);
INSERT INTO "task" VALUES(7,'c853f1ee30524948f91ca1d3826a2088','study',7,1,'[]',3,4,NULL);
INSERT INTO "task" VALUES(8,'c700134fb4bb733b483d28f480127103','study',8,1,'[]',3,5,NULL);
INSERT INTO "task" VALUES(9,'d7979025fa141b80b561c7acdea4b52b','study',9,1,'[]',1,2,NULL);
INSERT INTO "task" VALUES(10,'6b7694989b33eff2676cb674d1f21ae9','study',10,1,'[]',1,3,NULL);
INSERT INTO "task" VALUES(11,'9ca89e1d849f5dba1f7ab9d06c75b504','gold',0,1,'[]',1,5,'"first"');
CREATE TABLE token (
	id TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	purpose TEXT NOT NULL, 
	assessor INTEGER, 
	created TEXT NOT NULL, 
	used TEXT, 
	CONSTRAINT pk_token PRIMARY KEY (id), 
	CONSTRAINT fk_token_assessor FOREIGN KEY(assessor) REFERENCES assessor (id)
);
INSERT INTO "token" VALUES('2e39f76b47e2a0aa','e2170a2a7e27cfeae6773ddc676ed75be541367bbceca0b5fa55d8a70f41c5a2','link',1,'2026-11-17T20:57:40.537+00:00','2026-11-17T20:57:40.623+00:00');
INSERT INTO "token" VALUES('1ff7b96f1a7ed44c','eca68a75b13557404608e0abd048a943e1f71bef59c85af62bf72ca79342dc17','session',1,'2026-11-17T20:57:40.630+00:00',NULL);
INSERT INTO "token" VALUES('fd13f52f2034b652','a7be380aa7764f2ccfa36096ac34ac98876267a8eb1488f3db2fa11e0a87f739','link',2,'2026-11-17T20:57:40.710+00:00','2026-11-17T20:57:40.719+00:00');
INSERT INTO "token" VALUES('25d972e146c80704','cef973e8fc34929b61a93f611a9542b325ee7ae015cb6cb4017a1f1ac774cacb','session',2,'2026-11-17T20:57:40.719+00:00',NULL);
CREATE TABLE topic (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	title TEXT NOT NULL, 
	description TEXT NOT NULL, 
	CONSTRAINT pk_topic PRIMARY KEY (id), 
	CONSTRAINT uq_topic_name UNIQUE (name)
);
INSERT INTO "topic" VALUES(1,'1','Topic 1','What is known of 1?');
CREATE INDEX ix_task_purpose_position ON task (purpose, position);
CREATE INDEX ix_token_assessor ON token (assessor);
CREATE INDEX ix_place_assessor_done ON place (assessor, done);
CREATE INDEX ix_place_done_position ON place (done, position);
CREATE INDEX ix_judgment_assessor_withdrawn ON judgment (assessor, withdrawn);
COMMIT;
